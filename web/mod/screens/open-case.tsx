import { subjectKinds, type PolicyName, type ReportSubject } from '@unsaid/contract';
import { openCase } from '@unsaid/contract/moderation/console';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { call } from '../api.ts';
import { caseQuery } from '../cases.api.ts';
import { announce } from '../lib/announce.ts';
import { failureWords } from '../lib/failure-words.ts';
import { useShortcuts } from '../lib/shortcuts.ts';
import { subjectOf } from '../lib/subject-link.ts';
import { kindWords, ruleWords } from '../lib/words.ts';
import { withProof } from '../passkeys.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { Choices } from '../ui/choices.tsx';
import { SelectField, TextArea, TextField } from '../ui/field.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import ui from '../ui/ui.module.css';
import styles from './open-case.module.css';

/** By hand, for what a lead saw or what an authority ordered. */
export function OpenCaseScreen() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [kind, setKind] = useState<ReportSubject['kind']>('vent');
  const [item, setItem] = useState('');
  const [comment, setComment] = useState('');
  const [source, setSource] = useState<'staff' | 'order'>('staff');
  const [policy, setPolicy] = useState<PolicyName>('harassment');
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState<'item' | 'comment' | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [problem]);
  const rules = Object.entries(ruleWords) as [PolicyName, (typeof ruleWords)[PolicyName]][];

  const open = useMutation({
    mutationFn: (about: ReportSubject) => {
      const body = { about, policy, source, ...(note.trim() && { note: note.trim() }) };
      return withProof(() => call(openCase, { body }));
    },
    onSuccess: ({ case: view }) => {
      client.setQueryData(caseQuery(view.id).queryKey, view);
      void client.invalidateQueries({ queryKey: ['cases'] });
      announce(`Case ${view.id} is open.`);
      return navigate(`/cases/${view.id}`);
    },
  });

  function send(): void {
    if (open.isPending) return;
    const about = subjectOf({ kind, item, comment });
    if (about) open.mutate(about);
    else open.reset();
    const isItemRead = subjectOf({ kind: 'vent', item, comment: '' }) !== null;
    setProblem(about ? null : isItemRead ? 'comment' : 'item');
  }
  useShortcuts({ confirm: send });

  return (
    <>
      <PageTitle title="Open a case" />
      <form
        ref={form}
        className={`${ui.card} ${styles.form}`}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Choices
          label="What it is about"
          isInColumns
          value={kind}
          onChange={setKind}
          choices={subjectKinds.map((value) => ({ value, name: kindWords[value] }))}
        />
        <TextField
          label={kind === 'profile' ? 'Id of the profile' : 'Link or id of the vent'}
          hint={
            kind === 'profile' ? 'As the report or the match gives it.' : 'For example https://…/vent/AbC123'
          }
          problem={problem === 'item' ? 'That is no link or id of an item. Copy it once more.' : undefined}
          value={item}
          onChange={(event) => setItem(event.target.value)}
          autoComplete="off"
          spellCheck={false}
        />
        {kind === 'comment' && (
          <TextField
            label="Id of the comment"
            problem={problem === 'comment' ? 'That is no id of a comment. Copy it once more.' : undefined}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        <Choices
          label="Why it is opened"
          isInColumns
          value={source}
          onChange={(value) => {
            setSource(value);
            if (value === 'order') setPolicy('legal_order');
            else if (policy === 'legal_order') setPolicy('harassment');
          }}
          choices={[
            { value: 'staff', name: 'Seen by staff', meaning: 'Without a report.' },
            { value: 'order', name: 'Legal order', meaning: 'Of a court or an authority: three hours.' },
          ]}
        />
        <SelectField
          label="Rule"
          hint={ruleWords[policy].meaning}
          value={policy}
          onChange={(event) => setPolicy(event.target.value as PolicyName)}
        >
          {rules
            .filter(([name]) => source === 'order' || name !== 'legal_order')
            .map(([name, words]) => (
              <option key={name} value={name}>
                {words.name}
              </option>
            ))}
        </SelectField>
        <TextArea
          label="Note (optional)"
          hint={source === 'order' ? 'The number of the order. No names.' : 'For colleagues. No names.'}
          maxLength={1000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        {open.isError && (
          <Banner tone="alarm" isAlert>
            {failureWords(open.error)}
          </Banner>
        )}
        <div className={ui.row}>
          <Button isSubmit variant="primary" shortcut="Ctrl Enter" isBusy={open.isPending}>
            Open the case
          </Button>
          <p className={ui.hint}>You are asked for your passkey.</p>
        </div>
      </form>
    </>
  );
}
