// States that the simulated lives must have met, each counted where it occurs: a life that meets none of the corners
// proves nothing about them.
#pragma once

#include "support/every.hpp"

#include <array>
#include <string>

namespace vtmirror::test {

enum class Probe {
  rollover_while_an_entry_is_refused,
  rollover_while_a_file_is_lost,
  rollover_while_a_file_fails,
  rollover_while_a_delta_is_late,
  rollover_before_a_corrected_bulk_file_came,
  rollover_while_no_process_runs,
  rollover_during_a_transfer,
  listing_changed_during_a_transfer,
  file_lost_during_a_transfer,
  kill_during_a_transfer,
  kill_between_publish_and_manifest,
  kill_between_publish_and_manifest_of_a_republished_file,
  two_bulk_files_listed,
  old_bulk_beside_new_deltas,
  delta_dated_before_its_bulk,
  empty_listing,
  listing_without_a_bulk_file,
  entry_refused,
  entry_refused_with_another_day,
  entry_refused_without_a_day,
  refused_then_accepted,
  refused_then_lost,
  lost_then_refused,
  refused_then_replaced,
  file_lost,
  files_lost_at_once,
  file_lost_while_no_process_runs,
  lost_then_replaced,
  lost_after_it_left_the_listing,
  range_ignored,
  file_refused_while_others_come,
  unfinished_file_removed,
  unfinished_file_cut,
  unfinished_file_damaged,
  file_rotten,
  rot_found,
  rot_found_after_it_left_the_listing,
  rot_repaired,
  file_put_back,
  file_put_back_while_no_process_runs,
  correction_drops_rows,
  correction_taken_back,
  links_signed_while_the_clock_is_wrong,
  replaced_in_secret,
  replaced_in_secret_and_found,
  full_disk_at_start,
  process_ended_by_a_full_disk,
  catalogue_locked_at_start,
  catalogue_locked_during_a_cycle,
  catalogue_locked_during_a_transfer,
  prune_held_back_by_an_incomplete_chain,
  pruned,
  kill_between_a_removals_record_and_its_file,
  removal_taken_back,
  keep_cycles_0,
  keep_cycles_1,
  keep_cycles_2,
  keep_cycles_3,
  join_held,
  join_rests_on_absent_days,
  join_broken,
  chain_from_before_a_lost_bulk,
  chain_announced_without_a_publication,
  chain_announced_with_several_files,
  chain_announced_again_by_a_newer_manifest,
  hook_loader_joined,
  hook_loader_reloaded,
  catalogue_lost,
  state_wiped,
  state_wiped_during_a_transfer,
  session_kept_by_a_rebuild,
  settings_refused,
  settings_corrected,
  restarted_while_asked_to_wait,
  quarantine_expired,
  loader_joined,
  loader_reloaded,
  liveness_with_a_refused_entry,
  day_to_come_listed,
  liveness_with_a_day_to_come,
  liveness_with_a_failing_file,
  liveness_with_a_lost_file,
  link_to_held_bytes,
  links_removed_after_their_day,
  kill_between_two_steps_of_a_call,
  link_reader_began,
  link_reader_finished_in_superseded_links,
  link_reader_joined,
  consumer_appends,
  consumer_reloads,
  consumer_waits,
  consumer_is_up_to_date,
  consumer_joins,
  consumer_joins_on_absent_days,
  consumer_offered_a_late_delta,
  consumer_offered_a_rotten_file,
  consumer_reloads_a_replaced_file,
  consumer_reloads_after_a_gap,
  consumer_answered_the_same,
  consumer_answered_without_a_daemon,
  consumer_got_no_answer,
  consumer_answer_renewed,
  consumer_names_made_again,
  consumer_answer_replaced_after_the_lease,
  consumer_acknowledged_twice,
  consumer_word_heard_without_an_answer,
  consumer_killed_before_its_load,
  consumer_killed_before_its_acknowledgement,
  consumer_loads_twice_after_the_lease,
  consumer_files_given_back_after_the_lease,
  consumer_too_late_to_load,
  consumer_is_behind,
  consumer_forgotten,
  kill_while_a_consumer_asks,
  rollover_on_another_weekday,
  rollover_after_more_than_a_week,
  rollover_within_a_week,
  service_off_for_weeks,
  rollover_while_the_service_is_off,
  delta_left_in_its_week,
  delta_left_before_it_came,
  delta_listed_again,
  changes_appended,
  changes_reloaded,
  changes_reset,
  changes_reset_while_the_chain_is_incomplete,
};

class Probes {
 public:
  void saw(Probe probe) { ++count(probe); }
  bool has_seen(Probe probe) const { return counts_[static_cast<std::size_t>(probe)] > 0; }
  void saw(Probe probe, bool happened) { count(probe) += happened ? 1 : 0; }
  void add(const Probes& other) {
    for (const auto& each : every<Probe>()) count(each.value) += other.counts_[static_cast<std::size_t>(each.value)];
  }
  /// The names of those that were not seen, a line each.
  std::string missed() const {
    std::string names;
    for (const auto& each : every<Probe>())
      if (counts_[static_cast<std::size_t>(each.value)] == 0) names += std::string(each.word) + "\n";
    return names;
  }
  std::string logged() const {
    std::string text;
    for (const auto& each : every<Probe>())
      text += std::to_string(counts_[static_cast<std::size_t>(each.value)]) + " " + std::string(each.word) + "\n";
    return text;
  }

 private:
  int& count(Probe probe) { return counts_[static_cast<std::size_t>(probe)]; }
  std::array<int, every<Probe>().size()> counts_{};
};

}  // namespace vtmirror::test
