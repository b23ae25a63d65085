import type { HeldVent } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useId } from 'react';
import { useNavigate } from 'react-router';
import { useAccountId } from '../../../lib/current-user.ts';
import { failureText } from '../../../lib/error-text.ts';
import { paths } from '../../../lib/paths.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/class-names.ts';
import { EmotionChip, emotionClass } from '../../../ui/emotion.tsx';
import { toast } from '../../../ui/toast.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { ClippedText } from '../clipped-text.tsx';
import { VentAsks } from '../vent-asks.tsx';
import { emptyDraft, readDraft, saveDraft } from '../compose/drafts.ts';
import { hasWords } from '../compose/stored-draft.ts';
import { ventPlace, wordsOf } from '../crisis/crisis-guard.ts';
import { CrisisNote } from '../crisis/crisis-note.tsx';
import { useDropHeld, useHeldVents, useReleaseHeld, useUsuallyWithin } from './held.api.ts';
import cardStyles from '../vent-card.module.css';
import styles from './held-vents.module.css';

/** One's own vents that have yet to go out. Nothing where there are none. */
export function HeldVents() {
  const { data: held = [] } = useHeldVents();
  return held.map((vent) => <Held key={vent._id} vent={vent} />);
}

function Held({ vent }: { readonly vent: HeldVent }) {
  const { t } = useLingui();
  const id = useId();
  const navigate = useNavigate();
  const accountId = useAccountId();
  const within = useUsuallyWithin();
  const release = useReleaseHeld();
  const drop = useDropHeld();
  const isBusy = release.isPending || drop.isPending;
  const fail = (error: unknown) => toast(failureText(error, t`That didn't work. Please try again.`));

  const takeBack = async () => {
    if (accountId === null) return;
    // What was begun since then is not overwritten.
    if (hasWords(readDraft(accountId))) return toast(t`Finish or clear your draft first.`);
    await drop.mutateAsync(vent._id);
    const { _id, isStuck: _isStuck, need, keepDays, ...said } = vent;
    saveDraft(accountId, {
      ...emptyDraft,
      ...said,
      need: need ?? undefined,
      keepDays: keepDays ?? undefined,
      hasOwnTitle: true,
      isHeld: true,
    });
    void navigate(paths.createVent);
  };

  return (
    <>
      <CrisisNote place={ventPlace(vent._id)} moment="own" from={2} text={wordsOf(vent)} />
      <article aria-labelledby={id} className={cx(cardStyles.card, emotionClass(vent.emotion))}>
        <header className={styles.top}>
          <EmotionChip emotion={vent.emotion} />
          <span className={cardStyles.time}>
            {vent.isStuck ? (
              <Trans>This couldn't be posted. Only you can see it.</Trans>
            ) : (
              <>
                <Trans>Goes out later. Only you can see it.</Trans> {within}
              </>
            )}
          </span>
        </header>
        <h2 id={id} className={cardStyles.title}>
          <UserText>{vent.title}</UserText>
        </h2>
        <ClippedText>{vent.text}</ClippedText>
        <VentAsks vent={vent} />
        <div className={styles.actions}>
          <Button
            isBusy={release.isPending}
            disabled={isBusy}
            onClick={() =>
              release.mutate(vent._id, {
                onSuccess: () => toast(t`Vent created successfully!`),
                onError: fail,
              })
            }
          >{t`Post now`}</Button>
          <Button
            variant="outlined"
            isBusy={drop.isPending}
            disabled={isBusy}
            onClick={() => void takeBack().catch(fail)}
          >{t`Back to draft`}</Button>
        </div>
      </article>
    </>
  );
}
