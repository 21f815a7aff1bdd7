#include "simulator/service.hpp"

#include "simulator/calendar.hpp"
#include "simulator/digest.hpp"
#include "simulator/request.hpp"

#include <algorithm>

namespace vtmirror::simulator {
namespace {

struct Object {
  std::shared_ptr<const Archive> archive;
  std::uint64_t size = 0;
  std::string etag;
};

std::string element(std::string_view tag, std::string_view text) {
  return "<" + std::string(tag) + ">" + std::string(text) + "</" + std::string(tag) + ">";
}

Answer refuse(int status, std::string_view code, std::string_view message, const std::string& more = {}) {
  return text_answer(status, "application/xml",
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error>" + element("Code", code) +
                         element("Message", message) + more + element("RequestId", random_hex(8)) +
                         element("HostId", random_hex(24)) + "</Error>");
}

std::optional<Answer> judge(const State& state, const Request& request, base::Time now) {
  const LinkVerdict verdict = judge_link(state.link_key, request, now);
  switch (verdict.is) {
    case LinkVerdict::Is::good:
      return std::nullopt;
    case LinkVerdict::Is::unsigned_:
      return refuse(403, "AccessDenied", "Access Denied");
    case LinkVerdict::Is::expired:
      return refuse(403, "AccessDenied", "Request has expired",
                    element("X-Amz-Expires", std::to_string(verdict.lifetime_s)) +
                        element("Expires", base::iso8601(verdict.expires)) + element("ServerTime", base::iso8601(now)));
    case LinkVerdict::Is::forged:
      break;
  }
  return refuse(403, "SignatureDoesNotMatch",
                "The request signature we calculated does not match the signature you provided.",
                element("AWSAccessKeyId", verdict.credential) + element("StringToSign", verdict.to_sign) +
                    element("SignatureProvided", verdict.signature));
}

// The object as the fault presents it: its ETag, and its size if it is truncated.
Object find_object(State& state, std::string_view name, const Fault& fault) {
  const Recipe recipe = file_named(state.script, name).recipe;
  Object object{.archive = state.shelf.get(recipe), .etag = fault.etag.value_or(etag_of(recipe))};
  object.size = std::min(object.archive->size(), fault.truncate_total.value_or(object.archive->size()));
  return object;
}

Answer whole(const Object& object, const Fault& fault) {
  Answer answer{.status = 200};
  answer.file = FileBody{.archive = object.archive, .length = object.size, .flip_at = fault.flip_at};
  if (fault.wrong_total) {  // a total that is too large ends early; if it is too small, only that much is sent
    answer.length = *fault.wrong_total;
    answer.file->length = std::min(object.size, *fault.wrong_total);
    answer.delivery.close_after = true;
  }
  return answer;
}

Answer partial(const Object& object, const Stretch& stretch, const Fault& fault) {
  Stretch sent = stretch;
  if (fault.wrong_range) {  // one byte later, or earlier at the end of the object
    sent.first =
        sent.first + sent.length < object.size ? sent.first + 1 : sent.first - std::min<std::uint64_t>(sent.first, 1);
  }
  Answer answer{.status = 206};
  answer.headers.emplace_back("Content-Range", content_range(sent, fault.wrong_total.value_or(object.size)));
  answer.file =
      FileBody{.archive = object.archive, .offset = sent.first, .length = sent.length, .flip_at = fault.flip_at};
  return answer;
}

Answer unsatisfiable(const Object& object) {
  Answer answer = refuse(416, "InvalidRange", "The requested range is not satisfiable",
                         element("ActualObjectSize", std::to_string(object.size)));
  answer.headers.emplace_back("Content-Range", "bytes */" + std::to_string(object.size));
  return answer;
}

Stretch asked(const Request& request, const Object& object, const Fault& fault) {
  if (fault.ignore_range || fault.no_length) return {.length = object.size};
  return stretch_of(request.header("range"), object.size);
}

Answer serve(const Request& request, const Object& object, const Fault& fault) {
  const auto condition = request.header("if-match");
  if (condition && !fault.ignore_if_match && *condition != "*" && *condition != object.etag) {
    return refuse(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold",
                  element("Condition", "If-Match"));
  }
  const Stretch stretch = asked(request, object, fault);
  if (stretch.which == Stretch::Which::unsatisfiable) return unsatisfiable(object);
  Answer answer = stretch.which == Stretch::Which::part ? partial(object, stretch, fault) : whole(object, fault);
  answer.headers.emplace_back("Content-Type", "application/zip");
  answer.headers.emplace_back("ETag", object.etag);
  if (!fault.ignore_range) answer.headers.emplace_back("Accept-Ranges", "bytes");
  answer.headers.emplace_back("Last-Modified", "Wed, 18 Nov 2026 07:00:00 GMT");
  return answer;
}

}  // namespace

std::string etag_of(const Recipe& recipe) {
  const std::string what = recipe.name + "\n" + std::to_string(recipe.seed) + "\n" + std::to_string(recipe.version) +
                           "\n" + std::to_string(recipe.bytes) + "\n" +
                           std::to_string(static_cast<int>(recipe.deflated));
  return "\"" + sha256(what).substr(0, 32) + "-" + std::to_string(recipe.bytes / 8'388'608 + 1) + "\"";
}

Answer answer_store(State& state, const Request& request, base::Time now, const Fault& fault) {
  if (auto refused = judge(state, request, now)) return *std::move(refused);
  return serve(request, find_object(state, std::string_view(request.path).substr(1), fault), fault);
}

}  // namespace vtmirror::simulator
