import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { countryName, formatDay } from '../../lib/format.ts';
import { Prose } from '../../ui/prose.tsx';
import { type Helpline, helplinesByCountry, isStale } from './helplines.ts';
import styles from './info.module.css';

export function SupportPage() {
  const { t } = useLingui();

  return (
    <Prose
      title={t`Support`}
      lead={
        <Trans>
          If tonight is too much, talk to someone. You don't have to know what to say, and it doesn't have to
          be “bad enough”.
        </Trans>
      }
    >
      <div className={styles.callout}>
        <p>
          <Trans>
            If you or someone near you could be in danger right now, call the emergency number where you are.
            In India it's 112.
          </Trans>
        </p>
        <a className={styles.call} href="tel:112">
          <Trans>Call 112</Trans>
        </a>
      </div>

      {helplinesByCountry().map(({ country, lines }) => (
        <section key={country} aria-labelledby={`support-${country}`}>
          <h2 id={`support-${country}`}>{countryName(country)}</h2>
          <ul role="list" className={styles.lines}>
            {lines.map((line) => (
              <HelplineItem key={line.name} line={line} />
            ))}
          </ul>
        </section>
      ))}

      <h2>
        <Trans>Everywhere else</Trans>
      </h2>
      <p>
        <Trans>
          findahelpline.com lists helplines in many countries. It's a separate site, so we don't link to it.
          Type it into your browser if you want to go there.
        </Trans>
      </p>

      <h2>
        <Trans>Before you call</Trans>
      </h2>
      <ul>
        <li>
          <Trans>These numbers work inside their own country.</Trans>
        </li>
        <li>
          <Trans>
            The call is between you and them. It doesn't go through Unsaid, and we don't find out that you
            called.
          </Trans>
        </li>
        <li>
          <Trans>
            Your phone may keep the number in its call list. On a shared phone, you may want to delete it
            after the call.
          </Trans>
        </li>
        <li>
          <Trans>
            If someone walks in, tap Leave at the top, or press Escape three times. The page is gone at once,
            but it stays in the browser history.
          </Trans>
        </li>
        <li>
          <Trans>
            These helplines aren't part of Unsaid, and we can't speak for them. If nobody picks up, try again
            or try another number.
          </Trans>
        </li>
      </ul>
    </Prose>
  );
}

function HelplineItem({ line }: { line: Helpline }) {
  const { t } = useLingui();
  const { languages } = line;
  const [today] = useState(() => new Date().toISOString().slice(0, 10));
  const checkedOn = formatDay(line.checkedOn);
  const facts = [
    line.isTextable && t`Call or text`,
    line.hours === 'day-and-night' && t`Day and night`,
    line.cost === 'free' && t`Free`,
    languages !== null && t`${languages} languages`,
  ].filter((fact) => fact !== false);

  return (
    <li className={styles.line}>
      <h3>
        <HelplineName line={line} />
      </h3>
      <p>
        <HelplinePurpose line={line} />
      </p>
      {facts.length > 0 && <p className={styles.small}>{facts.join(' · ')}</p>}
      <ul role="list" className={styles.calls}>
        {line.numbers.map(({ shown, href }) => (
          <li key={href}>
            <a className={styles.call} href={href}>
              <Trans>Call {shown}</Trans>
            </a>
          </li>
        ))}
      </ul>
      {isStale(line, today) && (
        <p className={styles.small}>
          <Trans>Last checked on {checkedOn}.</Trans>
        </p>
      )}
    </li>
  );
}

/** Proper names are not translated, descriptions are. */
function HelplineName({ line }: { line: Helpline }) {
  switch (line.kind) {
    case 'emergency':
      return <Trans>Emergency</Trans>;
    case 'women':
      return <Trans>Women’s helpline</Trans>;
    case 'children':
      return <Trans>Children’s helpline</Trans>;
    case 'distress':
      return line.name;
  }
}

function HelplinePurpose({ line }: { line: Helpline }) {
  switch (line.kind) {
    case 'emergency':
      return <Trans>When someone is in danger right now.</Trans>;
    case 'women':
      return <Trans>For women who are being hurt or threatened.</Trans>;
    case 'children':
      return <Trans>For a child who needs help, or anyone worried about a child.</Trans>;
    case 'distress':
      return <Trans>Someone to talk to when it's too much.</Trans>;
  }
}
