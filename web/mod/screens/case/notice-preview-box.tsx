import { decideCase, type CaseView } from '@unsaid/contract/moderation/console';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { failureWords, hasCode } from '../../lib/failure-words.ts';
import { noNoticeReason, noticeSentences } from '../../lib/notice-sentences.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useNow } from '../../lib/use-now.ts';
import ui from '../../ui/ui.module.css';
import type { Checked } from './draft.ts';
import styles from './case.module.css';

/** What the author will read, from a dry run on the server: it is also a check that the decision is allowed. */
export function NoticePreviewBox({ view, checked }: { readonly view: CaseView; readonly checked: Checked }) {
  const now = useNow(60_000);
  const asked = useDebounced(JSON.stringify(checked.body ?? null), 250);
  const preview = useQuery({
    queryKey: ['preview', view.id, view.version, asked],
    queryFn: async () => {
      if (!checked.body) throw new Error('Nothing to preview.');
      const body = { ...checked.body, version: view.version, isDryRun: true };
      return (await call(decideCase, { params: { id: view.id }, body })).preview;
    },
    enabled: checked.body !== undefined && asked === JSON.stringify(checked.body),
  });
  // Before an outcome is chosen there is nothing to say.
  if (checked.missing?.field === 'outcome') return null;
  const reason = preview.data && noNoticeReason(preview.data);
  return (
    <section className={styles.preview} aria-labelledby="preview">
      <h3 id="preview">The author will read</h3>
      {checked.missing && <p className={ui.hint}>{checked.missing.words}</p>}
      {checked.body && preview.isError && (
        <p>
          {hasCode(preview.error, 'PROOF_REQUIRED')
            ? 'A ban needs your passkey. You are asked for it when you confirm.'
            : failureWords(preview.error)}
        </p>
      )}
      {checked.body && reason && <p>{reason}</p>}
      {checked.body && preview.data && !reason && (
        <>
          <blockquote className={styles.notice}>
            {noticeSentences(preview.data, view.kind, now).map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
          </blockquote>
          {preview.data.appealDays !== null && (
            <p className={ui.hint}>They can ask for a second look for {preview.data.appealDays} days.</p>
          )}
        </>
      )}
    </section>
  );
}
