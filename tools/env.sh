# Puts the pinned Node and npm first on PATH. Source it: . tools/env.sh
# Does nothing where the pinned major versions are already there.
# Works in bash and zsh; needs npm of any age, or Debian's apt to get one, as root or through sudo.
__unsaid_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
__unsaid_install() {
  __unsaid_root apt-get update -qq &&
    __unsaid_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null
}
__unsaid_env() {
  local here node npm
  here=$(cd "$(dirname "$1")" && pwd) || return 1
  node=$(cut -d. -f1 "$here/../.node-version")
  npm=$(sed -n 's/.*"npm": "\([0-9]*\)\..*/\1/p' "$here/node/package.json")
  case "$(node --version 2>/dev/null) $(npm --version 2>/dev/null)" in "v$node."*" $npm."*) return 0 ;; esac
  if ! "$here/node/node_modules/.bin/node" --version >/dev/null 2>&1; then
    if ! command -v npm >/dev/null 2>&1; then
      echo "env: no npm on this machine, installing Debian's to fetch the pinned Node" >&2
      __unsaid_install npm || return 1
    fi
    # A minimal Debian lacks libatomic, which Node 26 links against. Its users lack ldconfig's folder on their PATH.
    if [ -x /sbin/ldconfig ] && ! /sbin/ldconfig -p | grep -q libatomic.so.1; then
      __unsaid_install libatomic1 || return 1
    fi
    npm ci --prefix "$here/node" --ignore-scripts --no-audit --no-fund --silent || return 1
  fi
  PATH="$here/node/node_modules/.bin:$PATH"
  export PATH
  hash -r 2>/dev/null
}
# This file, in bash and in zsh, where $0 is another name inside a function.
__unsaid_env "${BASH_SOURCE:-$0}"
