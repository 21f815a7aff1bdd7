// What an error body says, without its status: the JSON of the API and the issuer, the XML of the store.
// Reads what is present; a body in another form yields empty fields. The fields are printable.
#pragma once

#include <string>
#include <string_view>

namespace vtmirror::core {

struct ErrorBody {
  std::string code{};  ///< "MOTH-FB-03", "invalid_client", "AccessDenied"
  std::string message{};
  std::string mark{};  ///< "request id 4711", "codes 7000222": for a support request
};

ErrorBody read_api_error(std::string_view body);
ErrorBody read_token_error(std::string_view body);
ErrorBody read_store_error(std::string_view body);

/// `HTTP 403 MOTH-FB-03 "API key not recognised" (request id 4711)`, without the parts that are unknown.
std::string describe(int status, const ErrorBody& body);

/// "FB-03" of "MOTH-FB-03", in upper case: the last two parts, so that a deployment's prefix does not matter.
std::string family_and_number(std::string_view code);

}  // namespace vtmirror::core
