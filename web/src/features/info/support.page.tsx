import { Trans, useLingui } from '@lingui/react/macro';
import { emergencyNumber, type Helpline, helplines, lineFor, textOptionFor } from '@unsaid/guard/helplines';
import { useEffect, useId, useState } from 'react';
import { countryName, nameOrder } from '../../lib/format.ts';
import { chooseCountry, countrySource, type CountrySource, readerCountry } from '../../lib/reader-country.ts';
import { GroundingButton } from '../../ui/grounding.tsx';
import { Prose } from '../../ui/prose.tsx';
import { InfoLinks } from './info-links.tsx';
import { HelplineDetails, HelplineList, HelplineName, HelplineSource, isNight } from './helpline-list.tsx';
import styles from './info.module.css';

export function SupportPage() {
  const { t } = useLingui();
  const now = useNow();
  const [country, setCountry] = useState(readerCountry);
  const [source, setSource] = useState(countrySource);
  // The numbers below may not work where the reader is, so the choice comes first, and stays there.
  const [isChoiceFirst] = useState(source === 'default');
  const first = firstLine(country, now);
  const danger = emergencyNumber(country);
  const more = linesOf(country).filter((line) => line !== first && line.kind !== 'emergency');

  const choice = (
    <CountryChoice
      country={country}
      source={source}
      onChoose={(chosen) => {
        chooseCountry(chosen);
        setCountry(chosen);
        setSource('choice');
      }}
    />
  );

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
      {isChoiceFirst && choice}

      <section className={styles.callout} aria-labelledby="support-first">
        <h2 id="support-first">
          <HelplineName line={first} />
        </h2>
        <HelplineDetails line={first} now={now} />
        {more.length > 0 && (
          <p>
            <Trans>If nobody picks up, try the next one.</Trans>
          </p>
        )}
      </section>

      {danger && (
        <div className={styles.next}>
          <p>
            <Trans>If you or someone near you could be in danger right now, call the emergency number.</Trans>
          </p>
          <a className={styles.call} href={danger.href}>
            <Trans>Call {danger.shown}</Trans>
          </a>
        </div>
      )}

      <div className={styles.next}>
        <p>
          <Trans>Not ready to talk? Take two minutes to slow down first.</Trans>
        </p>
        <GroundingButton>{t`Start two minutes`}</GroundingButton>
      </div>

      {(more.length > 0 || !isChoiceFirst) && <h2>{t`More helplines`}</h2>}
      {!isChoiceFirst && choice}
      <HelplineList lines={more} now={now} />

      {/* One tap away: the first screen has what the reader can call. */}
      <details className={styles.others}>
        <summary>
          <h2>{t`Other countries`}</h2>
        </summary>
        {countries()
          .filter((other) => other !== country)
          .map((other) => (
            <details key={other} className={styles.question}>
              <summary>{countryName(other)}</summary>
              <HelplineList lines={linesOf(other)} now={now} />
            </details>
          ))}
      </details>

      <h2>{t`Everywhere else`}</h2>
      <p>
        <Trans>
          findahelpline.com lists helplines in many countries. It's a separate site, so we don't link to it.
          Type it into your browser if you want to go there.
        </Trans>
      </p>

      <h2>{t`Before you call`}</h2>
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
          <Trans>They may see the number you call or write from.</Trans>
        </li>
        <li>
          <Trans>
            Your phone may keep the number in its call list. On a shared phone, you may want to delete it
            after the call.
          </Trans>
        </li>
        <li>
          <Trans>Texts and WhatsApp chats stay on the phone too, until you delete them.</Trans>
        </li>
        <li>
          <Trans>
            If someone walks in, tap Leave at the top, or press Escape three times. The page is gone at once,
            but it stays in the browser history.
          </Trans>
        </li>
        <li>
          <Trans>These helplines aren't part of Unsaid, and we can't speak for them.</Trans>
        </li>
      </ul>
      <p className={styles.small}>
        <HelplineSource lines={helplines} />
      </p>
      <InfoLinks />
    </Prose>
  );
}

const linesOf = (country: string) => helplines.filter((line) => line.country === country);

/** India first, then by name. */
function countries(): string[] {
  const [india = 'IN', ...others] = new Set(helplines.map((line) => line.country));
  const order = nameOrder();
  return [india, ...others.toSorted((a, b) => order.compare(countryName(a), countryName(b)))];
}

/** At night, writing comes first: somebody may be asleep in the same room. */
function firstLine(country: string, now: Date): Helpline {
  return (isNight(now) && textOptionFor(country, now)?.line) || lineFor(country, now);
}

/** The time, renewed every minute: a line that is "open now" closes while the page is open. */
function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

interface CountryChoiceProps {
  readonly country: string;
  readonly source: CountrySource;
  readonly onChoose: (country: string) => void;
}

function CountryChoice({ country, source, onChoose }: CountryChoiceProps) {
  const id = useId();
  return (
    <div className={styles.country}>
      <label htmlFor={id}>
        <Trans>Your country</Trans>
      </label>
      <select
        id={id}
        value={country}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChoose(event.target.value)}
      >
        {countries().map((one) => (
          <option key={one} value={one}>
            {countryName(one)}
          </option>
        ))}
      </select>
      <p id={`${id}-hint`} className={styles.small}>
        <CountryHint source={source} />
      </p>
    </div>
  );
}

function CountryHint({ source }: { readonly source: CountrySource }) {
  switch (source) {
    case 'time zone':
      return <Trans>Guessed from your time zone. We don't send or save it.</Trans>;
    case 'default':
      return <Trans>We can't tell where you are, so we begin with India. We don't send or save this.</Trans>;
    case 'choice':
      return <Trans>We don't send or save this.</Trans>;
  }
}
