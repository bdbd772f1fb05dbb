# bash completion for pfetch, and for `git pfetch`.

_pfetch_options() {
  case $1 in
    clone)
      echo "--depth --shallow-since --shallow-exclude --reject-shallow --no-reject-shallow --branch --revision" \
        "--single-branch --no-single-branch --tags --no-tags --bare --mirror --no-checkout --origin --config" \
        "--template --separate-git-dir --reference --reference-if-able --dissociate --upload-pack --jobs" \
        "--ipv4 --ipv6 --naked --shallow-submodules --remote-submodules" \
        "--server-option --local --no-local --hardlinks --no-hardlinks --quiet --verbose --progress --no-progress" \
        "--json --trace --help"
      ;;
    fetch)
      echo "--depth --deepen --unshallow --shallow-since --shallow-exclude --update-shallow --prune-shallow" \
        "--explain --tags --no-tags --prune --prune-tags --force --update-head-ok --refmap --atomic --dry-run" \
        "--append --write-fetch-head --no-write-fetch-head --set-upstream --show-forced-updates" \
        "--no-show-forced-updates --stdin --all --multiple --upload-pack --server-option --ipv4 --ipv6" \
        "--negotiation-tip --refetch --keep --jobs --porcelain --auto-maintenance --no-auto-maintenance" \
        "--auto-gc --no-auto-gc --write-commit-graph --no-write-commit-graph --quiet --verbose --progress" \
        "--no-progress --json --trace --help"
      ;;
    checkout)
      echo "--guess --no-guess --track --no-track --detach --force --overwrite-ignore --no-overwrite-ignore" \
        "--ignore-other-worktrees --ours --theirs --overlay --no-overlay --pathspec-from-file --pathspec-file-nul" \
        "--quiet --verbose --progress --no-progress --json --trace --help"
      ;;
    reset)
      echo "--hard --quiet --verbose --progress --no-progress --json --trace --help"
      ;;
    index-pack)
      echo "--stdin --keep --strict --fsck-objects --fix-thin --rev-index --no-rev-index --threads --max-input-size" \
        "--index-version --quiet --verbose --progress --no-progress --json --trace --help"
      ;;
    *) echo "--git-dir= --work-tree= --version --help" ;;
  esac
}

# The command among the words from number $1 on; options of pfetch itself, and their values, are skipped.
_pfetch_command() {
  local i
  for ((i = $1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -C | -c) ((i++)) ;;
      -*) ;;
      *)
        echo "${COMP_WORDS[i]}"
        return
        ;;
    esac
  done
}

# Branches, tags, and the names of branches that remotes have.
_pfetch_refs() {
  git for-each-ref --format='%(refname:short)' refs/heads refs/tags refs/remotes 2>/dev/null
  git for-each-ref --format='%(refname:strip=3)' refs/remotes 2>/dev/null
}

_pfetch_complete() {
  local first=$1 current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command
  command=$(_pfetch_command "$first")
  case $previous in
    --template | --separate-git-dir | --reference | --reference-if-able | -C)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return
      ;;
    --trace | --upload-pack | --pathspec-from-file | -u | -o)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
  esac
  if [[ $current != -* && ($command == checkout || $command == reset) ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_pfetch_refs)" -- "$current")
    ((${#COMPREPLY[@]})) && return
  fi
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_pfetch_options "$command")" -- "$current")
  elif [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "clone fetch checkout reset index-pack" -- "$current")
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}

_pfetch() { _pfetch_complete 1; }
# Git's own completion calls this for `git pfetch`.
_git_pfetch() { _pfetch_complete "$((${__git_cmd_idx:-1} + 1))"; }

complete -F _pfetch pfetch
