import { isBlank } from '@unsaid/contract';
import { readCrisis, type CrisisReading } from '@unsaid/guard/crisis';
import {
  emergencyNumber,
  lineFor,
  opensAt,
  textOptionFor,
  type CallOption,
  type Helpline,
  type TextOption,
} from '@unsaid/guard/helplines';
import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useMemo, useRef, type RefObject } from 'react';
import { Link } from 'react-router';
import { formatWait } from '../../../lib/format.ts';
import { paths } from '../../../lib/paths.ts';
import { readerCountry } from '../../../lib/reader-country.ts';
import { IconButton } from '../../../ui/button.tsx';
import { GroundingButton } from '../../../ui/grounding.tsx';
import { dismissLevel, useDismissedLevel } from './dismissals.ts';
import { HeavySentence, type Moment } from './heavy-sentence.tsx';
import { noReading, usePausedReading } from './use-paused-reading.ts';
import close from '@material-symbols/svg-400/rounded/close.svg?path';
import styles from './crisis-card.module.css';

export { readCrisis, tellsToDie } from '@unsaid/guard/crisis';

/** Hidden again below the level that was dismissed at this place. */
function useUndismissed(place: string, reading: CrisisReading): CrisisReading {
  return reading.level > useDismissedLevel(place) ? reading : noReading;
}

export interface CrisisCardProps {
  readonly place: string;
  readonly moment: Exclude<Moment, 'writing'>;
  readonly text: string;
  /** The first level to show. */
  readonly from?: 1 | 2;
}

export function CrisisCard({ place, moment, text, from = 1 }: CrisisCardProps) {
  const read = useMemo(() => readCrisis(text), [text]);
  const reading = useUndismissed(place, read);
  if (reading.level < from) return null;
  return (
    <Card
      place={place}
      moment={moment}
      reading={reading}
      // The button that had the focus is gone.
      onDismissed={() => document.getElementById('page')?.focus({ preventScroll: true })}
    />
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

export function readAnswer(text: string, answers: string | undefined): CrisisReading {
  const own = readCrisis(text);
  if (own.level > 0 && !own.isAboutSomeoneElse) return own;
  if (answers === undefined) return own;
  const isWorried = own.isAboutSomeoneElse || (!isBlank(text) && readCrisis(answers).level >= 2);
  return isWorried ? worried : noReading;
}

export function WritingCard({ place, text, answers, field }: WritingCardProps) {
  const box = useRef<HTMLDivElement>(null);
  const read = usePausedReading(text, (words) => readAnswer(words, answers), box);
  const reading = useUndismissed(place, read);
  const isEmpty = isBlank(text);
  useEffect(() => {
    // Something new is written: an earlier dismissal is not about it.
    if (isEmpty) dismissLevel(place, 0);
  }, [isEmpty, place]);
  return (
    <Card
      ref={box}
      place={place}
      moment="writing"
      isAnswer={answers !== undefined}
      reading={reading}
      onDismissed={() => field.current?.focus()}
    />
  );
}

interface CardProps {
  readonly ref?: RefObject<HTMLDivElement | null>;
  readonly place: string;
  readonly moment: Moment;
  readonly isAnswer?: boolean;
  readonly reading: CrisisReading;
  readonly onDismissed: () => void;
}

/** A group after the field, no dialog: it takes no focus, and Back passes it by. */
function Card({ ref, place, moment, isAnswer = false, reading, onDismissed }: CardProps) {
  const { t } = useLingui();
  const { level, isAboutSomeoneElse } = reading;
  const isShown = level > 0;
  const isLine = level === 1 && !isAboutSomeoneElse;
  const isUrgent = level === 3 && !isAboutSomeoneElse;
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
      <p role="status">
        {help &&
          (isAboutSomeoneElse ? (
            <WorriedWords isAnswer={isAnswer} help={help} />
          ) : isUrgent ? (
            <UrgentWords help={help} />
          ) : (
            <HeavyWords level={level} moment={moment} help={help} />
          ))}
      </p>
      {isLine && <Link to={paths.support}>{t`Support`}</Link>}
      {help && !isLine && !(isAboutSomeoneElse && isAnswer) && (
        <Steps isUrgent={isUrgent} isForOther={isAboutSomeoneElse} help={help} />
      )}
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
