# Puts the pinned Node and npm first on PATH. Source it: . tools/env.sh
# Does nothing where the pinned major version is already there.
# Works in bash and zsh; needs npm of any age, or Debian's apt to get one.
__unsaid_env() {
  local here want
  if [ -n "${BASH_SOURCE:-}" ]; then here=$(dirname "${BASH_SOURCE[0]}"); else here=$(dirname "$0"); fi
  here=$(cd "$here" && pwd) || return 1
  want=$(cut -d. -f1 "$here/../.node-version")
  case "$(node --version 2>/dev/null)" in "v$want."*) return 0 ;; esac
  if ! "$here/node/node_modules/.bin/node" --version >/dev/null 2>&1; then
    if ! command -v npm >/dev/null 2>&1; then
      echo "env: no npm on this machine, installing Debian's to fetch the pinned Node" >&2
      apt-get update -qq && apt-get install -y -qq --no-install-recommends npm >/dev/null || return 1
    fi
    # A minimal Debian lacks libatomic, which Node 26 links against.
    if command -v ldconfig >/dev/null 2>&1 && ! ldconfig -p | grep -q libatomic.so.1; then
      apt-get update -qq && apt-get install -y -qq libatomic1 >/dev/null || return 1
    fi
    npm ci --prefix "$here/node" --ignore-scripts --no-audit --no-fund --silent || return 1
  fi
  PATH="$here/node/node_modules/.bin:$PATH"
  export PATH
  hash -r 2>/dev/null
}
__unsaid_env
