# Environment of the Aclimb toolkit. Source it from sh, dash, bash or zsh:
#
#   . <root>/set_env.sh
#
# It finds its own place, so that the tree may be moved; it prints nothing when all is well, may be
# sourced again at any time, and works under `set -eu`. <root>/bin/setenv.bash and, in the older
# layout, <prefix>/ascend-toolkit/set_env.sh are links to this file.

# Every shell has its own way to name the file being read; dash has none but keeps the file open.
_aclimb_self=
if [ -n "${BASH_VERSION:-}" ]; then
  _aclimb_self=${BASH_SOURCE:-}
elif [ -n "${ZSH_VERSION:-}" ]; then
  # In quotes, because other shells cannot parse it.
  eval '_aclimb_self=${(%):-%x}'
else
  # Not $$, which in a subshell names the outer shell.
  _aclimb_pid=$(exec sh -c 'echo "$PPID"')
  for _aclimb_file in /proc/"$_aclimb_pid"/fd/*; do
    _aclimb_file=$(readlink "$_aclimb_file" || :)
    case "$_aclimb_file" in
      # The last one is the innermost of scripts that source each other.
      */set_env.sh | */setenv.bash) _aclimb_self=$_aclimb_file ;;
    esac
  done
  unset _aclimb_pid _aclimb_file
fi

# The root is beside this file, above it (bin/), or beside ascend-toolkit/set_env.sh.
_aclimb_root=
if [ -n "$_aclimb_self" ]; then
  _aclimb_self=$(dirname "$(readlink -f "$_aclimb_self")")
  for _aclimb_place in . .. latest; do
    if [ -z "$_aclimb_root" ] && [ -e "$_aclimb_self/$_aclimb_place/lib64/libascendcl.so" ]; then
      _aclimb_root=$(cd "$_aclimb_self/$_aclimb_place" && pwd -P)
    fi
  done
  unset _aclimb_place
fi
unset _aclimb_self

if [ -z "$_aclimb_root" ]; then
  unset _aclimb_root
  echo "set_env.sh: cannot find the toolkit that this file belongs to" >&2
  return 1
fi

# _aclimb_prepend VARIABLE DIRECTORY: puts the directory first, and removes it further back.
_aclimb_prepend() {
  eval "_aclimb_rest=\${$1:-}:"
  _aclimb_list=$2
  while [ -n "$_aclimb_rest" ]; do
    _aclimb_entry=${_aclimb_rest%%:*}
    _aclimb_rest=${_aclimb_rest#*:}
    # An empty entry would mean the current directory.
    if [ -n "$_aclimb_entry" ] && [ "$_aclimb_entry" != "$2" ]; then
      _aclimb_list=$_aclimb_list:$_aclimb_entry
    fi
  done
  eval "export $1=\$_aclimb_list"
  unset _aclimb_rest _aclimb_list _aclimb_entry
}

export ASCEND_TOOLKIT_HOME="$_aclimb_root"
export ASCEND_HOME_PATH="$_aclimb_root"
export ASCEND_AICPU_PATH="$_aclimb_root"
export ASCEND_OPP_PATH="$_aclimb_root/opp"
export TOOLCHAIN_HOME="$_aclimb_root/toolkit"
_aclimb_prepend LD_LIBRARY_PATH "$_aclimb_root/lib64"
_aclimb_prepend PATH "$_aclimb_root/bin"

unset -f _aclimb_prepend
unset _aclimb_root
