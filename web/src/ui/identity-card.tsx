import {
  findAcross,
  findIdentity,
  hideIdentity,
  textOf,
  type IdentityRule,
  type Written,
} from '@unsaid/guard/identity';
import { findPeople, type PeopleRule } from '@unsaid/guard/people';
import { Trans } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';
import { Button } from './button.tsx';
import type { IdentityGuard, IdentityProblem, WrittenFields } from './identity-problem.ts';
import styles from './identity-card.module.css';

/** What is refused comes before what is only warned about. */
export function firstProblem(fields: WrittenFields, isSure: boolean): IdentityProblem | undefined {
  const found = Object.entries(fields).flatMap(([field, written]) =>
    findIdentity(textOf(written)).map((finding) => ({ ...finding, field, fields })),
  );
  const refused = found.find(({ isRefused }) => isRefused);
  const across = refused ? undefined : findAcross(fields);
  // Nothing to hide: only its writer knows which half to take out.
  if (across) return { field: 'text', rule: across, isRefused: true, start: 0, end: 0, fields };
  return refused ?? (isSure ? undefined : (found[0] ?? firstPerson(fields)));
}

/** A name, or where somebody studies, works or lives. Found in this browser alone. */
function firstPerson(fields: WrittenFields): IdentityProblem | undefined {
  for (const [field, written] of Object.entries(fields)) {
    // A username and one hashtag are names by nature.
    const [person] = typeof written === 'string' && field !== 'username' ? findPeople(written) : [];
    if (person) return { ...person, field, isRefused: false, fields };
  }
  return undefined;
}

/** A newer server may find what this page does not. Then there is nothing to hide here. */
export function serverProblem(
  { path, rule }: { readonly path: string; readonly rule: string },
  fields: WrittenFields,
): IdentityProblem {
  const isRefused = rule !== 'link' && rule !== 'handle';
  const field = path === 'newUsername' ? 'username' : path;
  return { field, rule: rule as IdentityRule, isRefused, start: 0, end: 0, fields };
}

/** Words of a list are removed: a masked hashtag or interest says nothing. */
function hide(written: Written, isHidden: (finding: { isRefused: boolean }) => boolean): Written {
  if (typeof written === 'string') return hideIdentity(written, isHidden);
  const findings = findIdentity(textOf(written)).filter(isHidden);
  let from = 0;
  return written.filter((word) => {
    const [start, end] = [from, from + word.length];
    from = end + 1;
    return !findings.some((finding) => finding.start < end && start < finding.end);
  });
}

export interface IdentityCardProps {
  readonly guard: IdentityGuard;
  readonly field: string;
  /** Gets the fields that change. Without it the field cannot be masked: a username. */
  readonly onHide?: ((hidden: WrittenFields) => void) | undefined;
  readonly onPostAnyway: () => void;
  /** A profile is saved, not posted. */
  readonly isProfile?: boolean;
}

export function IdentityCard({ guard, field, onHide, onPostAnyway, isProfile }: IdentityCardProps) {
  const box = useRef<HTMLDivElement>(null);
  const { problem } = guard;
  // The button may have been pressed where the field is out of sight.
  useEffect(() => {
    if (problem) box.current?.scrollIntoView({ block: 'nearest' });
  }, [problem]);
  if (!problem) return null;
  const { rule, isRefused, start, end, fields } = problem;
  const written = fields[field];
  const isPerson = rule === 'name' || rule === 'place';
  const seen = isPerson && typeof written === 'string' ? written.slice(start, end) : '';

  const edit = () => {
    const input = box.current?.previousElementSibling?.querySelector<HTMLInputElement>('input, textarea');
    input?.focus();
    if (typeof fields[field] === 'string') input?.setSelectionRange(start, end);
  };
  const hideAll = () => {
    const form = box.current?.closest('form');
    const hidden = Object.entries(fields).map(
      ([name, written]) => [name, hide(written, (finding) => finding.isRefused || !isRefused)] as const,
    );
    guard.clear();
    onHide?.(
      Object.fromEntries(hidden.filter(([name, next]) => textOf(next) !== textOf(fields[name] ?? ''))),
    );
    // The pressed button is gone. Sending is the next step.
    const submit =
      form?.querySelector<HTMLElement>('[type=submit]') ??
      document.querySelector<HTMLElement>(`[type=submit][form="${form?.id}"]`);
    submit?.focus();
  };

  return (
    <div ref={box} className={styles.card}>
      <p role="alert">
        <What rule={rule} seen={seen} />{' '}
        {isRefused ? (
          <Trans>Anyone could find you with it, or the person it belongs to.</Trans>
        ) : (
          <Trans>It could lead people to you.</Trans>
        )}
      </p>
      <div className={styles.steps}>
        {onHide && end > start && !isPerson && (
          <Button variant="outlined" onClick={hideAll}>
            <Trans>Hide it for me</Trans>
          </Button>
        )}
        <Button variant="outlined" onClick={edit}>
          {isPerson ? <Trans>Change it</Trans> : <Trans>Edit</Trans>}
        </Button>
        {!isRefused && (
          <Button variant="quiet" onClick={onPostAnyway}>
            {isProfile ? <Trans>Save anyway</Trans> : <Trans>Post anyway</Trans>}
          </Button>
        )}
      </div>
    </div>
  );
}

interface WhatProps {
  readonly rule: IdentityRule | PeopleRule;
  readonly seen: string;
}

function What({ rule, seen }: WhatProps) {
  switch (rule) {
    case 'name':
      return <Trans>This looks like a name: “{seen}”.</Trans>;
    case 'place':
      return <Trans>This says where someone studies, works or lives: “{seen}”.</Trans>;
    case 'phone':
      return <Trans>This looks like a phone number.</Trans>;
    case 'email':
      return <Trans>This looks like an email address.</Trans>;
    case 'upi':
      return <Trans>This looks like a UPI ID.</Trans>;
    case 'aadhaar':
      return <Trans>This looks like an Aadhaar number.</Trans>;
    case 'pan':
      return <Trans>This looks like a PAN.</Trans>;
    case 'link':
      return <Trans>There's a link here.</Trans>;
    case 'handle':
      return <Trans>This looks like a username from another app.</Trans>;
  }
}
