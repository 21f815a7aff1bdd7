// Secrets and keys by their fingerprints: first seen, refused, warned of, rotated.

#include "vtmirror/catalogue/credentials.hpp"

#include "catalogue/transaction.hpp"

namespace vtmirror::catalogue {
namespace {

CredentialRecord read_credential(Row& row) {
  CredentialRecord record;
  record.first_seen = row.time(0);
  if (!row.is_null(1)) record.refused_at = row.time(1);
  record.refusal = read_error(row, 2);
  record.refusal.fields = row.fields(5);
  if (!row.is_null(6)) record.rotation_began = row.time(6);
  record.rotation_end = core::rotation_end_of(row.text(7), read_cause(row, 8));
  return record;
}

SecretWarning read_warning(Row& row) { return {row.date(0), static_cast<int>(row.integer(1))}; }

base::Time read_time(Row& row) { return row.time(0); }

void must_know(Transaction& write, std::int64_t changed) {
  if (changed == 0) write.refuse("no credential has that fingerprint");
}

void set_rotation_end(Transaction& write, const std::string& fingerprint, const core::RotationEnd& end) {
  const auto& cause = end.cause;
  must_know(write, write.run("UPDATE credential SET rotation_end = $1, rotation_cause = $2, rotation_detail = $3, "
                             "rotation_status = $4, rotation_subject = $5, rotation_fields = $6 WHERE fingerprint = $7",
                             name(end.outcome), code_column(cause), cause.detail, cause.status, cause.subject,
                             cause.fields, fingerprint));
}

}  // namespace

base::Result<void> Credentials::keep_key_use(base::Time at) {
  Transaction write(connection(), Purpose::writing);
  write.run("INSERT INTO key_use (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at", at);
  return write.end();
}

base::Result<std::optional<base::Time>> Credentials::last_key_use() const {
  Transaction read(connection(), Purpose::reading);
  const auto at = read.rows(read_time, "SELECT at FROM key_use");
  return read.end(at.empty() ? std::nullopt : std::optional(at.front()));
}

base::Result<void> Credentials::keep_credential(const std::string& fingerprint, base::Time at) {
  Transaction write(connection(), Purpose::writing);
  write.run("INSERT INTO credential (fingerprint, first_seen) VALUES ($1, $2) ON CONFLICT DO NOTHING", fingerprint, at);
  return write.end();
}

base::Result<std::optional<CredentialRecord>> Credentials::credential(const std::string& fingerprint) const {
  Transaction read(connection(), Purpose::reading);
  auto found = read.rows(read_credential,
                         "SELECT first_seen, refused_at, refusal_cause, refusal, refusal_status, refusal_fields, "
                         "rotation_began, rotation_end, rotation_cause, rotation_detail, rotation_status, "
                         "rotation_subject, rotation_fields FROM credential WHERE fingerprint = $1",
                         fingerprint);
  std::optional<CredentialRecord> record;
  if (!found.empty()) {
    record = std::move(found.front());
    record->warnings = read.rows(read_warning,
                                 "SELECT expires_on, days FROM secret_warning WHERE fingerprint = $1 "
                                 "ORDER BY expires_on, days DESC",
                                 fingerprint);
  }
  return read.end(std::move(record));
}

base::Result<void> Credentials::keep_refused(const std::string& fingerprint, base::Time at, const core::Cause& why) {
  Transaction write(connection(), Purpose::writing);
  must_know(write, write.run("UPDATE credential SET refused_at = coalesce(refused_at, $1), refusal_cause = $2, "
                             "refusal = $3, refusal_status = $4, refusal_fields = $5 WHERE fingerprint = $6",
                             at, code_column(why), why.detail, why.status, why.fields, fingerprint));
  return write.end();
}

base::Result<void> Credentials::keep_accepted(const std::string& fingerprint) {
  Transaction write(connection(), Purpose::writing);
  const core::Cause none;
  write.run(
      "UPDATE credential SET refused_at = NULL, refusal_cause = $1, refusal = $2, refusal_status = $3, "
      "refusal_fields = $4 WHERE fingerprint = $5",
      code_column(none), none.detail, none.status, none.fields, fingerprint);
  return write.end();
}

base::Result<void> Credentials::keep_warning(const std::string& fingerprint, const SecretWarning& warning,
                                             base::Time at, const std::vector<core::Notice>& notices) {
  Transaction write(connection(), Purpose::writing);
  write.run(
      "INSERT INTO secret_warning (fingerprint, expires_on, days, at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
      fingerprint, warning.expires_on, std::int64_t{warning.days}, at);
  queue(write, notices);
  return write.end();
}

base::Result<void> Credentials::keep_rotation_begun(const std::string& fingerprint, base::Time at) {
  Transaction write(connection(), Purpose::writing);
  write.run("UPDATE credential SET rotation_began = $1 WHERE fingerprint = $2", at, fingerprint);
  set_rotation_end(write, fingerprint, {});
  return write.end();
}

base::Result<void> Credentials::keep_rotation_end(const std::string& fingerprint, const core::RotationEnd& end,
                                                  const std::vector<core::Notice>& notices) {
  const bool never_began =
      end.outcome == core::RotationOutcome::none || end.outcome == core::RotationOutcome::postponed;
  Transaction write(connection(), Purpose::writing);
  if (never_began) write.run("UPDATE credential SET rotation_began = NULL WHERE fingerprint = $1", fingerprint);
  set_rotation_end(write, fingerprint, end);
  queue(write, notices);
  return write.end();
}

}  // namespace vtmirror::catalogue
