import {
  emotions,
  limits,
  newMutes,
  foldHashtag,
  splitHashtags,
  type Choices,
  type Emotion,
  type Mutes,
} from '@unsaid/contract';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { choicesQuery, useSetMutes, useUnhide } from '../../lib/choices.ts';
import { failureText } from '../../lib/error-text.ts';
import { ventPath } from '../../lib/paths.ts';
import { Button } from '../../ui/button.tsx';
import type { ChipRules } from '../../ui/chips.ts';
import { ChipsField } from '../../ui/chips-field.tsx';
import { cx } from '../../ui/class-names.ts';
import { emotionClass, emotionIcons, emotionLabel } from '../../ui/emotion.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { FieldError } from '../../ui/field.tsx';
import { HidingRule } from '../../ui/hiding-rule.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { UserText } from '../../ui/user-text.tsx';
import choiceStyles from '../../ui/choice.module.css';
import fieldStyles from '../../ui/field.module.css';
import styles from './choices.module.css';

/** What the user has hidden and muted, in Settings. */
export function HiddenAndMuted() {
  const { data, error, isFetching, refetch } = useQuery(choicesQuery);
  return (
    <div className={styles.choices}>
      <p className={styles.soft}>
        <Trans>Only you see this. Nobody's told.</Trans>
      </p>
      {data ? (
        <>
          <HiddenList choices={data} />
          <MutesForm mutes={data.mutes} />
        </>
      ) : error ? (
        <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
          {failureText(error, '')}
        </ErrorCard>
      ) : (
        <Loading>
          <Bar />
          <Bar width="70%" />
        </Loading>
      )}
      <p className={styles.soft}>
        <HidingRule />
      </p>
    </div>
  );
}

function HiddenList({ choices: { hidden, names } }: { readonly choices: Choices }) {
  const unhide = useUnhide();
  const vents = hidden.filter(({ kind }) => kind === 'vent');
  const comments = hidden.filter((one) => one.kind === 'comment');
  if (hidden.length + names.length === 0) {
    return (
      <p>
        <Trans>You haven't hidden anything.</Trans>
      </p>
    );
  }
  const isBusy = unhide.isPending;
  return (
    <div className={styles.lists}>
      {names.length > 0 && (
        <details>
          <summary>
            <Plural value={names.length} one="# name" other="# names" />
          </summary>
          <ul role="list">
            {names.map(({ _id, username }) => (
              <li key={_id} className={styles.row}>
                {username === null ? <Trans>A match without a name</Trans> : <UserText>{username}</UserText>}
                <Button
                  variant="quiet"
                  disabled={isBusy}
                  onClick={() => unhide.mutate({ kind: 'name', _id })}
                >
                  <Trans>Unhide</Trans>
                </Button>
              </li>
            ))}
          </ul>
        </details>
      )}
      {vents.length > 0 && (
        <details>
          <summary>
            <Plural value={vents.length} one="# vent" other="# vents" />
          </summary>
          <ul role="list">
            {vents.map(({ id }, index) => (
              <li key={id} className={styles.row}>
                <Link to={ventPath(id)}>
                  <Trans>Vent {index + 1}</Trans>
                </Link>
                <Button variant="quiet" disabled={isBusy} onClick={() => unhide.mutate({ kind: 'vent', id })}>
                  <Trans>Unhide</Trans>
                </Button>
              </li>
            ))}
          </ul>
        </details>
      )}
      {comments.length > 0 && (
        <details>
          <summary>
            <Plural value={comments.length} one="# comment" other="# comments" />
          </summary>
          <ul role="list">
            {comments.map((comment, index) => (
              <li key={comment.id} className={styles.row}>
                <Link to={ventPath(comment.ventId)}>
                  <Trans>Comment {index + 1}</Trans>
                </Link>
                <Button variant="quiet" disabled={isBusy} onClick={() => unhide.mutate(comment)}>
                  <Trans>Unhide</Trans>
                </Button>
              </li>
            ))}
          </ul>
        </details>
      )}
      {unhide.isError && <FieldError>{failureText(unhide.error, '')}</FieldError>}
    </div>
  );
}

const { shape } = newMutes;
const wordRules: ChipRules = {
  items: limits.mutedWords,
  length: limits.mutedWord,
  isAcceptable: (word) => shape.words.safeParse([word]).success,
};
const tagRules: ChipRules = {
  items: limits.mutedHashtags,
  length: limits.hashtag,
  clean: (part) => splitHashtags(part)[0] ?? '',
  fold: foldHashtag,
  isAcceptable: (tag) => shape.hashtags.safeParse([tag]).success,
};

function MutesForm({ mutes }: { readonly mutes: Mutes }) {
  const { t } = useLingui();
  const save = useSetMutes();
  const [draft, setDraft] = useState<Mutes>(mutes);
  const [left, setLeft] = useState('');
  const isChanged = JSON.stringify(draft) !== JSON.stringify(mutes);
  const change = (next: Partial<Mutes>) => {
    save.reset();
    setDraft({ ...draft, ...next });
  };
  return (
    <form
      noValidate
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending && left === '') save.mutate(draft);
      }}
    >
      <ChipsField
        label={t`Muted words`}
        hint={t`Vents and comments with one of these words are folded.`}
        chips={draft.words}
        rules={wordRules}
        onChange={(words, rest) => {
          change({ words });
          setLeft(rest);
        }}
      />
      <ChipsField
        label={t`Muted hashtags`}
        chips={draft.hashtags}
        rules={tagRules}
        sign="#"
        onChange={(hashtags, rest) => {
          change({ hashtags });
          setLeft(rest);
        }}
      />
      <Feelings value={draft.emotions} onChange={(chosen) => change({ emotions: chosen })} />
      {save.isError && (
        <FieldError>{failureText(save.error, t`Please check the words and hashtags.`)}</FieldError>
      )}
      <div className={styles.save}>
        <Button type="submit" variant="outlined" disabled={!isChanged} isBusy={save.isPending}>
          <Trans>Save</Trans>
        </Button>
        <p role="status" className={styles.soft}>
          {save.isSuccess && !isChanged && <Trans>Saved.</Trans>}
        </p>
      </div>
    </form>
  );
}

function Feelings({
  value,
  onChange,
}: {
  readonly value: readonly Emotion[];
  readonly onChange: (feelings: Emotion[]) => void;
}) {
  const { t } = useLingui();
  return (
    <fieldset>
      <legend className={fieldStyles.label}>{t`Muted feelings`}</legend>
      <div className={cx(choiceStyles.options, choiceStyles.even)}>
        {emotions.map((emotion) => (
          <button
            key={emotion}
            type="button"
            aria-pressed={value.includes(emotion)}
            className={cx(choiceStyles.option, styles.feeling, emotionClass(emotion))}
            onClick={() => onChange(emotions.filter((one) => value.includes(one) !== (one === emotion)))}
          >
            <Icon path={emotionIcons[emotion]} size={20} />
            {emotionLabel(emotion)}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
