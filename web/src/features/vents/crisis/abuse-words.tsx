import type { AbuseKind } from '@unsaid/guard/abuse';
import { emergencyNumber, helplines, lineFor, type CallOption } from '@unsaid/guard/helplines';
import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useState } from 'react';
import { readerCountry } from '../../../lib/reader-country.ts';
import { Button } from '../../../ui/button.tsx';
import styles from './crisis-card.module.css';

/** Of the reader's country. The emergency number is always among them. */
function numbersFor(kind: AbuseKind): CallOption[] {
  const country = readerCountry();
  const { country: place, call } = lineFor(country, new Date());
  const wanted = kind === 'child' ? 'children' : 'women';
  const own = helplines.find((line) => line.country === place && line.kind === wanted)?.call ?? call;
  const emergency = emergencyNumber(place) ?? { shown: '112', href: 'tel:112' };
  return [...own.slice(0, 1), emergency];
}

/** No blame, no order, no promise. */
export function AbuseWords({ kind }: { readonly kind: AbuseKind }) {
  return kind === 'child' ? (
    <Trans>This isn't your fault. There are people who help children, and you can talk to them.</Trans>
  ) : (
    <Trans>Nobody deserves that. If you want to, you can talk to someone.</Trans>
  );
}

export function AbuseHelp({ kind }: { readonly kind: AbuseKind }) {
  const numbers = useMemo(() => numbersFor(kind), [kind]);
  return (
    <>
      <div className={styles.steps}>
        {numbers.map(({ shown, href }) => (
          <a key={href} href={href} className={styles.other}>
            <Trans>Call {shown}</Trans>
          </a>
        ))}
        {/* The quick exit of every page. */}
        <Button variant="quiet" onClick={() => document.getElementById('leave')?.click()}>
          <Trans>Leave</Trans>
        </Button>
      </div>
      <p className={styles.small}>
        <Trans>
          Your phone may keep the number in its call list. On a shared phone, you may want to delete it after
          the call.
        </Trans>
      </p>
    </>
  );
}

/** One line that names nothing until it is tapped: who hits may hold the phone. */
export function AbuseLine({ kind }: { readonly kind: AbuseKind }) {
  const { t, i18n } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div
      role="group"
      lang={i18n.locale}
      aria-label={t`Someone to talk to`}
      className={isOpen ? styles.card : styles.line}
    >
      <Button variant="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <Trans>Someone to talk to</Trans>
      </Button>
      {isOpen && (
        <>
          <p>
            <AbuseWords kind={kind} />
          </p>
          <AbuseHelp kind={kind} />
        </>
      )}
    </div>
  );
}
