# Completion of vtmirror's commands, options and values for fish.

set -l commands run sync status files coverage history changes next ack consumers wait notify config secret help

complete -c vtmirror -f
complete -c vtmirror -l config -r -F -d 'The settings file'
complete -c vtmirror -l socket -r -F -d 'The daemon\'s socket'
complete -c vtmirror -l log-level -x -a 'debug info notice warning error' -d 'Minimum level to log'
complete -c vtmirror -l color -x -a 'auto always never' -d 'Use colour'
complete -c vtmirror -s h -l help -d 'Print help'
complete -c vtmirror -s V -l version -d 'Print the version'

set -l none "not __fish_seen_subcommand_from $commands"
complete -c vtmirror -n $none -a run -d 'Run the daemon in the foreground'
complete -c vtmirror -n $none -a sync -d 'Bring the mirror up to date now'
complete -c vtmirror -n $none -a status -d 'Ask the daemon what it is doing and what is wrong'
complete -c vtmirror -n $none -a files -d 'List what the mirror holds'
complete -c vtmirror -n $none -a coverage -d 'Show the chain to load and what is missing'
complete -c vtmirror -n $none -a history -d 'List past cycles'
complete -c vtmirror -n $none -a changes -d 'List the files published, superseded or removed'
complete -c vtmirror -n $none -a next -d 'Show which files a consumer loads next'
complete -c vtmirror -n $none -a ack -d 'Record that a consumer has loaded the files of a ticket'
complete -c vtmirror -n $none -a consumers -d 'List the consumers, and how far behind each is'
complete -c vtmirror -n $none -a wait -d 'Wait until the chain is complete through a day'
complete -c vtmirror -n $none -a notify -d 'Test the notification channels'
complete -c vtmirror -n $none -a config -d 'Check or show the settings'
complete -c vtmirror -n $none -a secret -d 'Show, renew or set the client secret'
complete -c vtmirror -n $none -a help -d 'Print help about a command'

complete -c vtmirror -n '__fish_seen_subcommand_from sync' -l dry-run -d 'Print what would be done and why, and change nothing'
complete -c vtmirror -n '__fish_seen_subcommand_from sync' -l refill -d 'Download everything again into another directory than before'
complete -c vtmirror -n '__fish_seen_subcommand_from status' -l watch -d 'Keep showing the status as it changes'
complete -c vtmirror -n '__fish_seen_subcommand_from status' -l check -d 'Print one line and exit as a monitoring plugin does'
complete -c vtmirror -n '__fish_seen_subcommand_from history' -s n -l newest -x -d 'Number of cycles'
complete -c vtmirror -n '__fish_seen_subcommand_from changes' -l since -x -d 'List changes after this generation'
complete -c vtmirror -n '__fish_seen_subcommand_from consumers' -l forget -x -d 'Drop a consumer that is no longer needed'
complete -c vtmirror -n '__fish_seen_subcommand_from wait' -l through -x -d 'The day, such as 2026-11-18'
complete -c vtmirror -n '__fish_seen_subcommand_from wait' -l timeout -x -d 'Exit with status 1 after that time'
complete -c vtmirror -n '__fish_seen_subcommand_from status files coverage history changes next consumers' -l json -d 'Print JSON'
complete -c vtmirror -n '__fish_seen_subcommand_from config; and not __fish_seen_subcommand_from help check show' -a 'check show'
complete -c vtmirror -n '__fish_seen_subcommand_from notify; and not __fish_seen_subcommand_from help test' -a 'test'
complete -c vtmirror -n '__fish_seen_subcommand_from secret; and not __fish_seen_subcommand_from help status rotate set' -a 'status rotate set'
complete -c vtmirror -n '__fish_seen_subcommand_from help' -a 'run sync status files coverage history changes next ack consumers wait notify config secret'
