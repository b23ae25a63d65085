import {
  revealPart,
  type CasePart,
  type CaseView,
  type RevealedPart,
} from '@unsaid/contract/moderation/console';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api.ts';
import { useCaseCache } from '../../cases.api.ts';
import { announce } from '../../lib/announce.ts';
import { failureWords, hasCode } from '../../lib/failure-words.ts';
import { useShortcuts } from '../../lib/shortcuts.ts';
import { exactTime } from '../../lib/time-words.ts';
import { partWords, reasonWords } from '../../lib/words.ts';
import { useSetSevereLeft } from '../../session.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import ui from '../../ui/ui.module.css';
import styles from './case.module.css';

type Paragraph = RevealedPart['paragraphs'][number];

/** Details are labelled with the reason of their report. */
const labelWords = (label: string): string =>
  Object.entries(reasonWords).find(([reason]) => reason === label)?.[1] ?? label;

/** Said about the item, not by it. */
const factLabels = new Set(['Emotion', 'Hashtags', 'Posted']);
const isTime = (text: string) => /^\d{4}-\d\d-\d\d(?:T|$)/u.test(text);
const factWords = ({ label, text }: Paragraph): string =>
  label === 'Posted' && isTime(text) ? exactTime(text) : text;

/** The texts of a case, each hidden until it is asked for. What is not revealed is not in the page. */
export function Texts({ view }: { readonly view: CaseView }) {
  const [revealed, setRevealed] = useState<readonly RevealedPart[]>([]);
  const [covered, setCovered] = useState<ReadonlySet<CasePart>>(new Set());
  const headings = useRef(new Map<CasePart, HTMLElement | null>());
  const setSevereLeft = useSetSevereLeft();
  const cache = useCaseCache(view.id);

  const reveal = useMutation({
    mutationFn: (part: CasePart) => call(revealPart, { params: { id: view.id }, body: { part } }),
    onMutate: () => document.activeElement,
    onSuccess: (answer, _part, focusBefore) => {
      setSevereLeft(answer.severeLeft);
      setRevealed((parts) => [...parts, answer.revealed]);
      // Unless the work went on meanwhile: the letters of a note must not become keys.
      if ([focusBefore, document.body].includes(document.activeElement))
        headings.current.get(answer.revealed.part)?.focus();
    },
    onError: (error) => {
      if (hasCode(error, 'LEASE_LOST')) void cache.reload();
      if (hasCode(error, 'ENOUGH_FOR_TODAY')) setSevereLeft(0);
    },
  });

  useEffect(() => {
    // After taking the case: the button that had the focus is gone.
    const [first] = headings.current.values();
    if (document.activeElement === document.body) first?.focus();
  }, []);

  const textOf = (part: CasePart) => revealed.find((one) => one.part === part);
  const cover = (part: CasePart) => setCovered((parts) => new Set([...parts, part]));
  function show(part: CasePart): void {
    setCovered((parts) => new Set([...parts].filter((one) => one !== part)));
    if (!textOf(part) && !reveal.isPending) reveal.mutate(part);
    else headings.current.get(part)?.focus();
  }

  const isOpen = (part: CasePart) => textOf(part) !== undefined && !covered.has(part);
  useShortcuts({
    r: () => {
      const next = view.parts.find((part) => !isOpen(part));
      if (next) show(next);
      else announce('Everything is revealed.');
    },
  });
  const nextHidden = view.parts.find((part) => !isOpen(part));

  return (
    <>
      {reveal.isError && (
        <Banner tone={hasCode(reveal.error, 'ENOUGH_FOR_TODAY') ? 'calm' : 'alarm'} isAlert>
          {failureWords(reveal.error)}
        </Banner>
      )}
      {view.parts.map((part) => {
        const text = textOf(part);
        return (
          <section key={part} className={ui.card} aria-labelledby={`part-${part}`}>
            <div className={styles.partHead}>
              <h2
                id={`part-${part}`}
                tabIndex={-1}
                ref={(heading) => {
                  headings.current.set(part, heading);
                }}
              >
                {partWords[part]}
              </h2>
              {text && !covered.has(part) ? (
                <Button variant="quiet" aria-describedby={`part-${part}`} onClick={() => cover(part)}>
                  Hide again
                </Button>
              ) : (
                <Button
                  aria-describedby={`part-${part}`}
                  isBusy={reveal.isPending && reveal.variables === part}
                  onClick={() => show(part)}
                  {...(part === nextHidden && { shortcut: 'R' })}
                >
                  Reveal
                </Button>
              )}
            </div>
            {text && !covered.has(part) ? (
              <PartText paragraphs={text.paragraphs} />
            ) : (
              <div className={styles.veil}>
                <span />
                <span />
                <span />
                <p className="visually-hidden">Hidden</p>
              </div>
            )}
          </section>
        );
      })}
    </>
  );
}

function PartText({ paragraphs }: { readonly paragraphs: readonly Paragraph[] }) {
  const isFact = ({ label }: Paragraph) => factLabels.has(label);
  const facts = paragraphs.filter((one) => isFact(one) && one.text !== '');
  return (
    <div className={styles.text}>
      {paragraphs.length === 0 && <p className={styles.textLabel}>There is nothing here any more.</p>}
      {paragraphs
        .filter((one) => !isFact(one) && one.text !== '')
        .map(({ label, text }, index) => (
          // The list never changes.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index}>
            <p className={styles.textLabel}>{labelWords(label)}</p>
            <p dir="auto" className={styles.words}>
              {text}
            </p>
          </div>
        ))}
      {facts.length > 0 && (
        <p className={styles.textLabel}>
          {facts.map((fact) => `${fact.label}: ${factWords(fact)}`).join(' · ')}
        </p>
      )}
    </div>
  );
}
