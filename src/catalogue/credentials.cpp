// Secrets and keys by their fingerprints: first seen, refused, warned of, rotated.
#include "catalogue/body.hpp"
#include "catalogue/queue.hpp"

namespace vtmirror::catalogue {
namespace {

CredentialRecord read_credential(Statement& row) {
  CredentialRecord record;
  record.first_seen = row.time(0);
  if (!row.is_null(1)) record.refused_at = row.time(1);
  record.refusal = row.text(2);
  if (!row.is_null(3)) record.rotation_began = row.time(3);
  record.rotation_end = row.text(4);
  return record;
}

SecretWarning read_warning(Statement& row) { return {row.date(0), static_cast<int>(row.integer(1))}; }

void must_know(Transaction& write, const std::optional<std::int64_t>& changed) {
  if (!changed) write.refuse("no credential of that fingerprint is known");
}

}  // namespace

base::Result<void> Catalogue::keep_credential(const std::string& fingerprint, base::Time at) {
  Transaction write(body_->database, Purpose::writing);
  write.run("INSERT INTO credential (fingerprint, first_seen) VALUES (?, ?) ON CONFLICT DO NOTHING", fingerprint, at);
  return write.end();
}

base::Result<std::optional<CredentialRecord>> Catalogue::credential(const std::string& fingerprint) const {
  Transaction read(body_->database, Purpose::reading);
  auto found = read.rows(read_credential,
                         "SELECT first_seen, refused_at, refusal, rotation_began, rotation_end FROM credential "
                         "WHERE fingerprint = ?",
                         fingerprint);
  std::optional<CredentialRecord> record;
  if (!found.empty()) {
    record = std::move(found.front());
    record->warnings = read.rows(read_warning,
                                 "SELECT expires_on, days FROM secret_warning WHERE fingerprint = ? "
                                 "ORDER BY expires_on, days DESC",
                                 fingerprint);
  }
  return read.end(std::move(record));
}

base::Result<void> Catalogue::keep_refused(const std::string& fingerprint, base::Time at, const std::string& words) {
  Transaction write(body_->database, Purpose::writing);
  must_know(write, write.number("UPDATE credential SET refused_at = coalesce(refused_at, ?), refusal = ? "
                                "WHERE fingerprint = ? RETURNING 1",
                                at, words, fingerprint));
  return write.end();
}

base::Result<void> Catalogue::keep_accepted(const std::string& fingerprint) {
  Transaction write(body_->database, Purpose::writing);
  write.run("UPDATE credential SET refused_at = NULL, refusal = '' WHERE fingerprint = ?", fingerprint);
  return write.end();
}

base::Result<void> Catalogue::keep_warning(const std::string& fingerprint, const SecretWarning& warning, base::Time at,
                                           const std::vector<core::Notice>& notices) {
  Transaction write(body_->database, Purpose::writing);
  write.run("INSERT INTO secret_warning (fingerprint, expires_on, days, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            fingerprint, warning.expires_on, std::int64_t{warning.days}, at);
  queue(write, notices);
  return write.end();
}

base::Result<void> Catalogue::keep_rotation_begun(const std::string& fingerprint, base::Time at) {
  Transaction write(body_->database, Purpose::writing);
  must_know(write, write.number("UPDATE credential SET rotation_began = ?, rotation_end = '' WHERE fingerprint = ? "
                                "RETURNING 1",
                                at, fingerprint));
  return write.end();
}

base::Result<void> Catalogue::keep_rotation_ended(const std::string& fingerprint, const std::string& words,
                                                  const std::vector<core::Notice>& notices) {
  Transaction write(body_->database, Purpose::writing);
  must_know(write, write.number("UPDATE credential SET rotation_end = ? WHERE fingerprint = ? RETURNING 1", words,
                                fingerprint));
  queue(write, notices);
  return write.end();
}

base::Result<void> Catalogue::keep_rotation_postponed(const std::string& fingerprint, const std::string& words,
                                                      const std::vector<core::Notice>& notices) {
  Transaction write(body_->database, Purpose::writing);
  must_know(write, write.number("UPDATE credential SET rotation_began = NULL, rotation_end = ? WHERE fingerprint = ? "
                                "RETURNING 1",
                                words, fingerprint));
  queue(write, notices);
  return write.end();
}

}  // namespace vtmirror::catalogue
