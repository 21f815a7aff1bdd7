# Completion of vtmirror's commands, options and values for bash.

_vtmirror_options() {
  case $1 in
    sync) echo --dry-run --refill --json --quiet ;;
    status) echo --json --watch --check ;;
    files) echo --json ;;
    coverage) echo --json --calendar ;;
    history) printf '%s\n' -n --newest --json ;;
    changes) echo --since --json ;;
    config)
      case $2 in
        init)
          printf '%s\n' --base-url --token-url --scope --client-id --email --client-secret-file --api-key-file \
            --ca-file --output --force
          ;;
        check) echo --online ;;
      esac
      ;;
    verify) echo --repair --rate --json ;;
    adopt) echo --copy ;;
    prune) echo --dry-run ;;
    cat) echo --chain ;;
    next) echo --json ;;
    consumers) echo --json --forget ;;
    wait) echo --through --timeout ;;
    secret) [[ $2 == status ]] && echo --json ;;
  esac
}

_vtmirror() {
  local global='--config --socket --log-level --color --help --version'
  local commands='run sync status files coverage history changes verify adopt prune cat next ack consumers wait notify config secret help'
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' inner='' at
  COMPREPLY=()

  # bash takes "=" for a word of its own.
  if [[ $word == '=' ]]; then
    word=''
  elif [[ $before == '=' ]] && ((COMP_CWORD >= 2)); then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $before in
    --config | --socket | --client-secret-file | --api-key-file | --ca-file | --output)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return
      ;;
    --log-level)
      mapfile -t COMPREPLY < <(compgen -W 'debug info notice warning error' -- "$word")
      return
      ;;
    --color)
      mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$word")
      return
      ;;
    -n | --newest | --since | --forget | --through | --timeout | --rate | --base-url | --token-url | --scope | --client-id)
      return
      ;;
  esac

  # The command is the first word that is neither an option nor an option's value.
  for ((at = 1; at < COMP_CWORD; at++)); do
    case ${COMP_WORDS[at]} in
      --config | --socket | --log-level | --color | -n | --newest | --since | --base-url | --token-url | --scope | \
        --client-id | --client-secret-file | --api-key-file | --ca-file | --output | --forget | --through | --timeout | --rate)
        if [[ ${COMP_WORDS[at + 1]} == '=' ]]; then ((at += 2)); else ((at++)); fi
        ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then command=${COMP_WORDS[at]}; else inner=${COMP_WORDS[at]}; fi
        ;;
    esac
  done

  if [[ $command == adopt && -z $inner && $word != -* ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_vtmirror_options "$command" "$inner") $global" -- "$word")
  elif [[ -z $command || ($command == help && -z $inner) ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
  elif [[ ($command == config && -z $inner) || ($command == help && $inner == config) ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'init check show' -- "$word")
  elif [[ ($command == notify && -z $inner) || ($command == help && $inner == notify) ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'test' -- "$word")
  elif [[ ($command == secret && -z $inner) || ($command == help && $inner == secret) ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'status rotate set' -- "$word")
  elif [[ $command == cat && -z $inner ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'bulk' -- "$word")
  fi
}

complete -F _vtmirror vtmirror
