import { i18n } from '@lingui/core';
import { Trans, useLingui } from '@lingui/react/macro';
import { type Helpline, isOpenNow, opensAt, type TextOption } from '@unsaid/guard/helplines';
import type { ReactNode } from 'react';
import { formatDate, formatList } from '../../lib/format.ts';
import styles from './info.module.css';

/** From 22 to 6 by the reader's clock. */
export const isNight = (now: Date) => now.getHours() >= 22 || now.getHours() < 6;

interface LinesProps {
  readonly lines: readonly Helpline[];
  readonly now: Date;
}

/** At night, lines that one can write to come first. */
export function HelplineList({ lines, now }: LinesProps) {
  if (lines.length === 0) return null;
  const ordered = isNight(now)
    ? [...lines.filter(({ text }) => text.length > 0), ...lines.filter(({ text }) => text.length === 0)]
    : lines;
  return (
    <ul role="list" className={styles.lines}>
      {ordered.map((line) => (
        <li key={line.id} className={styles.line}>
          <h3>
            <HelplineName line={line} />
          </h3>
          <HelplineDetails line={line} now={now} />
        </li>
      ))}
    </ul>
  );
}

interface LineProps {
  readonly line: Helpline;
  readonly now: Date;
}

/** Who it is for, when, at what cost and in which languages, and the ways to reach it. */
export function HelplineDetails({ line, now }: LineProps) {
  const { t } = useLingui();
  const facts = [useHoursText(line, now), line.cost === 'free' && t`Free`, useLanguagesText(line)].filter(
    Boolean,
  );
  const calls = line.call.map((one) => (
    <Contact key={one.href} href={one.href}>
      <Trans>Call {one.shown}</Trans>
    </Contact>
  ));
  const texts = line.text.map((one) => (
    <Contact key={one.href} href={one.href}>
      <TextLabel option={one} />
    </Contact>
  ));
  return (
    <>
      <p>
        <HelplinePurpose line={line} />
      </p>
      {facts.length > 0 && <p className={styles.small}>{facts.join(' · ')}</p>}
      <ul role="list" className={styles.calls}>
        {isNight(now) ? [texts, calls] : [calls, texts]}
      </ul>
      {line.verifiedOn !== null && <Checked on={line.verifiedOn} now={now} />}
    </>
  );
}

function Contact({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <li>
      <a className={styles.call} href={href}>
        {children}
      </a>
    </li>
  );
}

function TextLabel({ option: { kind, shown } }: { readonly option: TextOption }) {
  return kind === 'sms' ? <Trans>Text {shown}</Trans> : <Trans>WhatsApp {shown}</Trans>;
}

/** When somebody last made sure of it. */
function Checked({ on, now }: { readonly on: string; readonly now: Date }) {
  const month = new Intl.DateTimeFormat(i18n.locales, {
    month: 'long',
    timeZone: 'UTC',
    ...(on.slice(0, 4) !== String(now.getFullYear()) && { year: 'numeric' }),
  }).format(new Date(on));
  return (
    <p className={styles.small}>
      <Trans>Checked in {month}.</Trans>
    </p>
  );
}

/** Where the numbers come from, and when one was last called to check it: never a day that is not in the list. */
export function HelplineSource({ lines }: { readonly lines: readonly Helpline[] }) {
  const days = lines.flatMap(({ verifiedOn }) => verifiedOn ?? []).toSorted();
  const first = days[0];
  const last = days.at(-1);
  if (first === undefined || last === undefined)
    return <Trans>The numbers come from public sources. We haven't called them yet.</Trans>;
  const day = formatDate(days.length === lines.length ? first : last);
  return days.length === lines.length ? (
    <Trans>The numbers come from public sources. We've called each one since {day}.</Trans>
  ) : (
    <Trans>The numbers come from public sources. We've called some of them, last on {day}.</Trans>
  );
}

function useHoursText(line: Helpline, now: Date): string | null {
  const { t } = useLingui();
  if (line.hours === 'always') return t`Day and night`;
  const opening = opensAt(line, now);
  if (opening === null) return isOpenNow(line, now) === true ? t`Open now` : null;
  const time = timeOfDay(opening);
  const daysAhead = Math.round((startOfDay(opening) - startOfDay(now)) / 86_400_000);
  if (daysAhead === 0) return t`Opens at ${time}`;
  if (daysAhead === 1) return t`Opens tomorrow at ${time}`;
  const weekday = new Intl.DateTimeFormat(i18n.locales, { weekday: 'long' }).format(opening);
  return t`Opens on ${weekday} at ${time}`;
}

const startOfDay = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

/** By the reader's clock: "8 am", "8:30 am". In Hindi "सुबह 8", as it is spoken. */
function timeOfDay(at: Date): string {
  return new Intl.DateTimeFormat(i18n.locales, {
    hour: 'numeric',
    ...(at.getMinutes() > 0 && { minute: '2-digit' }),
    ...(i18n.locale === 'hi' && { dayPeriod: 'long' }),
  }).format(at);
}

function useLanguagesText({ languages }: Helpline): string | null {
  const { t } = useLingui();
  if (languages === null) return null;
  if (typeof languages === 'number') return t`${languages} languages`;
  const names = new Intl.DisplayNames(i18n.locales ?? i18n.locale, { type: 'language' });
  return formatList(languages.map((code) => names.of(code) ?? code));
}

/** Proper names are not translated, descriptions are. */
export function HelplineName({ line }: { readonly line: Helpline }) {
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

function HelplinePurpose({ line }: { readonly line: Helpline }) {
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
