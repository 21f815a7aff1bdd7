// The base of the catalogue's roles: the connection that they share. Never owns it.
#pragma once

namespace vtmirror::catalogue {

struct Connection;

/// A handle: it must not outlive its catalogue.
class Role {
 protected:
  explicit Role(Connection& connection) : connection_(&connection) {}
  Connection& connection() const { return *connection_; }

 private:
  Connection* connection_;
};

}  // namespace vtmirror::catalogue
