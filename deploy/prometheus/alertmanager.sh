#!/bin/sh
# Prints Alertmanager's configuration for one receiver. ALERT_TO: mail addresses with commas between, or a webhook (https://…). Mail needs
# ALERT_FROM, ALERT_SMTP (host:port) and ALERT_SMTP_PASSWORD.
set -eu
cat <<CONF
route:
  receiver: people
  group_by: [alertname]
  group_wait: ${ALERT_WAIT:-30s}
  group_interval: 5m
  repeat_interval: 4h
  routes:
    # Read in the morning.
    - matchers: [severity=~"ticket|info"]
      repeat_interval: 24h
inhibit_rules:
  # Without PostgreSQL much else rings too.
  - source_matchers: [alertname="UnsaidOverdueUnknown"]
    target_matchers: [alertname=~"UnsaidCasesUnknown|UnsaidWorkerNotRunning|UnsaidNoNewVents"]
receivers:
  - name: people
CONF
# A password may have any character: quoted for YAML.
quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/''/g")"; }
case ${ALERT_TO:?an address of mail, or a webhook} in
  http*) printf '    webhook_configs: [{ url: "%s" }]\n' "$ALERT_TO" ;;
  *@*)
    printf '    email_configs:\n      - { to: %s, from: %s, smarthost: %s, auth_username: %s, auth_password: %s, send_resolved: true }\n' \
      "$(quoted "$ALERT_TO")" "$(quoted "${ALERT_FROM:?the sender}")" "$(quoted "${ALERT_SMTP:?host:port}")" "$(quoted "$ALERT_FROM")" "$(quoted "${ALERT_SMTP_PASSWORD:-}")"
    ;;
  # On a machine of one's own, to look at it.
  none) ;;
  *) echo 'alertmanager: ALERT_TO is neither an address of mail nor a webhook' >&2 && exit 1 ;;
esac
