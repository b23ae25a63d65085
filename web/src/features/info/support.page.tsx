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
          Some nights are too heavy to carry alone. The people below answer the phone. You do not need the
          right words, and you do not need to be sure that it is bad enough.
        </Trans>
      }
    >
      <div className={styles.callout}>
        <p>
          <Trans>
            If you, or someone near you, may be in danger right now, call the emergency number where you are.
            In India it is 112.
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
          findahelpline.com lists helplines in many countries. It is a site of its own, so we only name it
          here: type it into your browser if you want to go there.
        </Trans>
      </p>

      <h2>
        <Trans>Before you call</Trans>
      </h2>
      <ul>
        <li>
          <Trans>These numbers work from inside their own country.</Trans>
        </li>
        <li>
          <Trans>
            The call is between you and them. It does not pass through Unsaid, and we do not learn that you
            made it.
          </Trans>
        </li>
        <li>
          <Trans>
            Your phone may keep the number in its list of calls. On a shared phone, you may want to remove it
            afterwards.
          </Trans>
        </li>
        <li>
          <Trans>
            If someone comes in, press Leave at the top, or Escape three times: the page is gone at once. It
            stays in the browser’s history.
          </Trans>
        </li>
        <li>
          <Trans>
            They are not part of Unsaid, and we cannot speak for them. If nobody answers, try again, or try
            another number.
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
      return <Trans>When someone is in danger now.</Trans>;
    case 'women':
      return <Trans>For women who are being hurt or threatened.</Trans>;
    case 'children':
      return <Trans>For a child who needs help, or someone worried about a child.</Trans>;
    case 'distress':
      return <Trans>Someone to talk to when it is too much.</Trans>;
  }
}
