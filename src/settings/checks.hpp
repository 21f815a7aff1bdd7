// Checks the values of settings. Each check returns the end of the sentence "service.base_url: ...", or an empty string
// if the value is valid. Never touches a file, the network or the environment, except for the system's time zone files.
#pragma once

#include "vtmirror/settings/config.hpp"

#include <chrono>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace vtmirror::settings::check {

std::string required(const std::string& text);
/// https, or http for a loopback host if that is allowed. Not empty.
std::string required_address(const std::string& url, bool allow_http);
/// The same, without the path of the listing, which is added to it.
std::string base_address(const std::string& url, const std::string& listing_path, bool allow_http);
/// http or https, or empty.
std::string web_address(const std::string& url);
/// "http://proxy.example:3128", or empty.
std::string proxy(const std::string& url);
/// Each of "a.example", ".a.example", "*.a.example", "a.example:8443", "10.0.0.7", "10.0.0.0/8", "*".
std::string no_proxy(const Texts& hosts);
/// "127.0.0.1:9464", "[::1]:9464", or empty.
std::string listen_address(const std::string& address);
/// The same with any address of this machine, or empty. Not the port of `metrics` where one listener would have it at
/// the other's address too.
std::string web_listen_address(const std::string& address, const std::string& metrics);
std::string scope(const std::string& scope);
/// "/v1/..."
std::string request_path(const std::string& path);
/// Absolute, or empty.
std::string path(const std::string& path);
/// The same for a file, whose path does not end as a directory's.
std::string file_path(const std::string& file);
std::string socket(const std::string& path);
std::string one_of(const std::string& word, std::initializer_list<std::string_view> words);
std::string one_of(const std::string& word, std::span<const std::string_view> words);
std::string email(const std::string& address, bool needed);
std::string mail_addresses(const Texts& addresses);
std::string sendmail(const std::string& program, const Texts& mail_to);
std::string warn_days(const Numbers& days, bool auto_rotate);
std::string time_zone(const std::string& name);
std::string within(int number, int least, int most);
std::string within(std::chrono::seconds duration, std::chrono::seconds least, std::chrono::seconds most);
/// Zero, or at least a day: a slice is read each night.
std::string scrub(std::chrono::seconds every);
std::string hook_events(const Texts& events);
std::string command(const Texts& command);

}  // namespace vtmirror::settings::check
