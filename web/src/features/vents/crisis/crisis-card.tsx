import { isBlank } from '@unsaid/contract';
import { readDistress } from '@unsaid/guard/abuse';
import { readCrisis, type CrisisReading } from '@unsaid/guard/crisis';
import { isUnread, languageOf } from '@unsaid/guard/language';
import {
  emergencyNumber,
  lineFor,
  opensAt,
  textOptionFor,
  type CallOption,
  type Helpline,
  type TextOption,
} from '@unsaid/guard/helplines';
import { I18nProvider } from '@lingui/react';
import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useMemo, useRef, type RefObject } from 'react';
import { Link } from 'react-router';
import { formatWait } from '../../../lib/format.ts';
import { useWordsIn } from '../../../locales/i18n.ts';
import { paths } from '../../../lib/paths.ts';
import { readerCountry } from '../../../lib/reader-country.ts';
import { IconButton } from '../../../ui/button.tsx';
import { GroundingButton } from '../../../ui/grounding.tsx';
import { AbuseHelp, AbuseLine, AbuseWords } from './abuse-words.tsx';
import { Status } from '../../../ui/status.tsx';
import { dismissLevel, useDismissedLevel } from './dismissals.ts';
import { HeavySentence, type Moment } from './heavy-sentence.tsx';
import { noReading, usePausedReading, type Reading } from './use-paused-reading.ts';
import close from '@material-symbols/svg-400/rounded/close.svg?path';
import styles from './crisis-card.module.css';

export { readDistress } from '@unsaid/guard/abuse';
export { readCrisis, tellsToDie } from '@unsaid/guard/crisis';
export { languageOf } from '@unsaid/guard/language';

function readOwn(text: string): Reading {
  const { abuse, ...reading } = readDistress(text);
  if (reading.level > 1) return reading;
  if (abuse) return { level: 2, isAboutSomeoneElse: false, abuse };
  return reading.level === 0 && isUnread(text) ? { ...reading, level: 1, isUnread: true } : reading;
}

/** The words of a card: the text's language, or the menu's where a few words do not tell. */
function useWordsFor(text: string) {
  const { i18n } = useLingui();
  const language = languageOf(text);
  const isMenus =
    (text.trim().split(/\s+/u).length < 3 && language !== 'hi') ||
    language === 'other' ||
    // Who chose Hindi reads it: Hinglish is typed there too.
    (language === 'hinglish' && i18n.locale === 'hi');
  const words = useWordsIn(language === 'hi' ? 'hi' : language === 'hinglish' ? 'hi-Latn' : 'en');
  return isMenus ? i18n : words;
}

/** Hidden again below the level that was dismissed at this place. */
function useUndismissed(place: string, reading: Reading): Reading {
  return reading.level > useDismissedLevel(place) ? reading : noReading;
}

export interface CrisisCardProps {
  readonly place: string;
  readonly moment: Exclude<Moment, 'writing'>;
  readonly text: string;
  /** The first level to show. */
  readonly from?: 1 | 2;
  /** One line about abuse: on My Vents alone. */
  readonly hasAbuseLine?: boolean;
}

export function CrisisCard({ place, moment, text, from = 1, hasAbuseLine = false }: CrisisCardProps) {
  const { abuse: found, ...read } = useMemo(() => readDistress(text), [text]);
  const abuse = hasAbuseLine && read.level < 2 ? found : null;
  const reading = useUndismissed(place, read);
  const words = useWordsFor(text);
  if (abuse)
    return (
      <I18nProvider i18n={words}>
        <AbuseLine kind={abuse} />
      </I18nProvider>
    );
  if (reading.level < from) return null;
  return (
    <I18nProvider i18n={words}>
      <Card
        place={place}
        moment={moment}
        reading={reading}
        // The button that had the focus is gone.
        onDismissed={() => document.getElementById('page')?.focus({ preventScroll: true })}
      />
    </I18nProvider>
  );
}

export interface WritingCardProps {
  readonly place: string;
  readonly text: string;
  /** The vent that a comment answers, unless it is the writer's own. */
  readonly answers?: string | undefined;
  readonly field: RefObject<HTMLElement | null>;
}

/** Worried about another person: what they say, or what they answer, is about somebody else. */
const worried: CrisisReading = { level: 1, isAboutSomeoneElse: true };

export function readAnswer(text: string, answers: string | undefined): Reading {
  if (answers === undefined) return readOwn(text);
  const own = readCrisis(text);
  if (own.level > 0 && !own.isAboutSomeoneElse) return own;
  const isWorried = own.isAboutSomeoneElse || (!isBlank(text) && readCrisis(answers).level >= 2);
  return isWorried ? worried : noReading;
}

export function WritingCard({ place, text, answers, field }: WritingCardProps) {
  const box = useRef<HTMLDivElement>(null);
  const read = usePausedReading(text, (words) => readAnswer(words, answers), box);
  const reading = useUndismissed(place, read);
  const words = useWordsFor(text);
  const isEmpty = isBlank(text);
  useEffect(() => {
    // Something new is written: an earlier dismissal is not about it.
    if (isEmpty) dismissLevel(place, 0);
  }, [isEmpty, place]);
  return (
    <I18nProvider i18n={words}>
      <Card
        ref={box}
        place={place}
        moment="writing"
        isAnswer={answers !== undefined}
        reading={reading}
        onDismissed={() => field.current?.focus()}
      />
    </I18nProvider>
  );
}

interface CardProps {
  readonly ref?: RefObject<HTMLDivElement | null>;
  readonly place: string;
  readonly moment: Moment;
  readonly isAnswer?: boolean;
  readonly reading: Reading;
  readonly onDismissed: () => void;
}

/** A group after the field, no dialog: it takes no focus, and Back passes it by. */
function Card({ ref, place, moment, isAnswer = false, reading, onDismissed }: CardProps) {
  const { t, i18n } = useLingui();
  const { level, isAboutSomeoneElse, abuse } = reading;
  const isShown = level > 0;
  const isLine = level === 1 && !isAboutSomeoneElse;
  const isUrgent = level === 3 && !isAboutSomeoneElse;
  const hasSteps = !isLine && !abuse && !(isAboutSomeoneElse && isAnswer);
  // Not before it is shown: the time zone of the browser costs a sixth of a second on a cheap phone.
  const help = useMemo(() => (isShown ? findHelp() : undefined), [isShown]);
  const hide = () => {
    dismissLevel(place, level);
    onDismissed();
  };
  return (
    // The keys of the links and buttons in it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={ref}
      role="group"
      lang={i18n.locale}
      aria-label={isShown ? (isAboutSomeoneElse ? t`What you can do` : t`Someone to talk to`) : undefined}
      className={isShown ? (isLine ? styles.line : styles.card) : styles.none}
      // The forms give it the room of their sticky buttons.
      data-card={isShown ? '' : undefined}
      onKeyDown={(event) => {
        // React also reports the keys of a dialog that was opened from here.
        if (event.key !== 'Escape' || !event.currentTarget.contains(event.target as Node)) return;
        // Neither closes a dialog around it nor counts towards the quick exit.
        event.preventDefault();
        event.stopPropagation();
        hide();
      }}
    >
      {/* Above the words: on a small screen what comes after them is below the keyboard. */}
      {isUrgent && help && <Call option={help.emergency} isFirst />}
      {/* In the page before it has words: only then do screen readers announce them. */}
      <Status>
        {help &&
          (abuse ? (
            <AbuseWords kind={abuse} />
          ) : reading.isUnread ? (
            <UnreadWords help={help} />
          ) : isAboutSomeoneElse ? (
            <WorriedWords isAnswer={isAnswer} help={help} />
          ) : isUrgent ? (
            <UrgentWords help={help} />
          ) : (
            <HeavyWords level={level} moment={moment} help={help} />
          ))}
      </Status>
      {abuse && <AbuseHelp kind={abuse} />}
      {isLine && <Link to={paths.support}>{t`Support`}</Link>}
      {help && hasSteps && <Steps isUrgent={isUrgent} isForOther={isAboutSomeoneElse} help={help} />}
      {isShown && (
        <IconButton label={t`Hide this`} icon={close} iconSize={20} className={styles.hide} onClick={hide} />
      )}
    </div>
  );
}

interface Help {
  readonly emergency: CallOption;
  readonly line: Helpline;
  /** The name on the card: on a screen that others may see, "988" instead of a name with that word in it. */
  readonly name: string;
  readonly call: CallOption;
  readonly at: Date;
  readonly text: TextOption | undefined;
}

function findHelp(): Help {
  const at = new Date();
  const country = readerCountry();
  const line = lineFor(country, at);
  const emergency = emergencyNumber(line.country) ?? { shown: '112', href: 'tel:112' };
  const [call = emergency] = line.call;
  // U+2060 (word joiner) keeps "Tele-MANAS" on one line.
  const name = /suicide/iu.test(line.name) ? call.shown : line.name.replaceAll('-', '-\u2060');
  return { emergency, line, name, call, at, text: textOptionFor(country, at)?.text };
}

function UrgentWords({ help }: { readonly help: Help }) {
  const { shown } = help.emergency;
  return (
    <Trans>
      If you've hurt yourself or might now, call {shown}. If you can, move away from anything you could use.
    </Trans>
  );
}

/** What it says is not known: no word about it, only the hand. */
function UnreadWords({ help }: { readonly help: Help }) {
  return (
    <>
      <Trans>If things are heavy right now, you can talk to someone.</Trans> <LineIsOpen help={help} />{' '}
      <a href={help.call.href}>{help.call.shown}</a>
    </>
  );
}

interface HeavyWordsProps {
  readonly level: number;
  readonly moment: Moment;
  readonly help: Help;
}

function HeavyWords({ level, moment, help }: HeavyWordsProps) {
  if (level === 1) return <Trans>That sounds heavy. Want to talk to someone?</Trans>;
  return (
    <>
      <HeavySentence moment={moment} /> <LineIsOpen help={help} />
    </>
  );
}

/** When the line answers, as far as that is known. */
function LineIsOpen({ help: { line, name, at } }: { readonly help: Help }) {
  if (line.hours === 'always') {
    return line.cost === 'free' ? (
      <Trans>{name} is free, day and night.</Trans>
    ) : (
      <Trans>{name} is open day and night.</Trans>
    );
  }
  const opening = opensAt(line, at);
  if (opening === null) return <Trans>You can call {name}.</Trans>;
  const wait = formatWait((opening.getTime() - at.getTime()) / 1000);
  return (
    <Trans>
      {name} is closed right now and opens in {wait}.
    </Trans>
  );
}

interface WorriedWordsProps {
  readonly isAnswer: boolean;
  readonly help: Help;
}

function WorriedWords({ isAnswer, help }: WorriedWordsProps) {
  const { shown } = help.emergency;
  return isAnswer ? (
    <Trans>
      You don't need perfect words. Tell them you read it, and ask how they are now. We can't call them. If
      you know them and they could be in danger, call {shown}.
    </Trans>
  ) : (
    <Trans>If they could be in danger now, call {shown}, and stay with them if you can.</Trans>
  );
}

interface StepsProps {
  readonly isUrgent: boolean;
  readonly isForOther: boolean;
  readonly help: Help;
}

function Steps({ isUrgent, isForOther, help }: StepsProps) {
  const { name, text } = help;
  return (
    <>
      {isUrgent && (
        <p>
          <Trans>You can also talk to someone.</Trans> <LineIsOpen help={help} />
        </p>
      )}
      {isForOther && (
        <p>
          <Trans>You can ask {name} what to do.</Trans> <LineIsOpen help={help} />
        </p>
      )}
      <div className={styles.steps}>
        <Call option={help.call} isFirst={!isUrgent} />
        {text && !isForOther && <Write option={text} />}
        {!isForOther && (
          <GroundingButton>
            <Trans>Take two minutes</Trans>
          </GroundingButton>
        )}
      </div>
    </>
  );
}

interface CallProps {
  readonly option: CallOption;
  readonly isFirst: boolean;
}

function Call({ option: { shown, href }, isFirst }: CallProps) {
  return (
    <a href={href} className={isFirst ? styles.first : styles.other}>
      <Trans>Call {shown}</Trans>
    </a>
  );
}

function Write({ option: { kind, shown, href } }: { readonly option: TextOption }) {
  return (
    <a href={href} className={styles.other}>
      {kind === 'whatsapp' ? <Trans>WhatsApp {shown}</Trans> : <Trans>Text {shown}</Trans>}
    </a>
  );
}
