import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useId, useRef, useState } from 'react';
import { afterPaint } from '../../../lib/app-ready.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { cx } from '../../../ui/class-names.ts';
import { FieldError } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { loadGuard } from '../crisis/crisis-guard.ts';
import { CrisisNote } from '../crisis/crisis-note.tsx';
import close from '@material-symbols/svg-400/rounded/close.svg?path';
import search from '@material-symbols/svg-400/rounded/search.svg?path';
import fieldStyles from '../../../ui/field.module.css';
import styles from './search-box.module.css';

interface SearchBoxProps {
  readonly label: string;
  /** The current search. When it changes elsewhere (back, another link), the input follows. */
  readonly query: string;
  readonly onSearch: (query: string) => void;
  readonly error?: string | undefined;
  readonly isBusy?: boolean;
  /**
   * Beside other controls: on a phone it is an icon and a word, without a button, as long as it is not touched. The page
   * has room for its `SearchNote`.
   */
  readonly isShort?: boolean;
}

export function SearchBox({ label, query, onSearch, error, isBusy, isShort }: SearchBoxProps) {
  const { t } = useLingui();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(query);
  const [followed, setFollowed] = useState(query);
  if (followed !== query) {
    setFollowed(query);
    setText(query);
  }
  return (
    <form
      role="search"
      className={cx(styles.form, isShort && styles.short)}
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
        // The keyboard of a phone goes, and the box is short again.
        if (isShort) input.current?.blur();
      }}
    >
      <div className={styles.row}>
        <div className={styles.box}>
          <Icon path={search} size={22} className={styles.icon} />
          <input
            ref={input}
            type="search"
            className={cx(fieldStyles.input, styles.input)}
            aria-label={label}
            placeholder={isShort ? t`Search` : label}
            dir="auto"
            value={text}
            maxLength={limits.query}
            enterKeyHint="search"
            autoComplete="off"
            aria-invalid={error ? true : undefined}
            aria-describedby={error ? id : undefined}
            onFocus={() => afterPaint(loadGuard)}
            onChange={(event) => setText(event.target.value)}
          />
          {text !== '' && (
            <IconButton
              label={t`Clear`}
              icon={close}
              iconSize={20}
              className={styles.clear}
              onClick={() => {
                setText('');
                input.current?.focus();
              }}
            />
          )}
        </div>
        <Button type="submit" variant="outlined" isBusy={isBusy ?? false} className={styles.button}>
          <Trans>Search</Trans>
        </Button>
      </div>
      {error && <FieldError id={id}>{error}</FieldError>}
      {query !== '' && !isShort && <SearchNote query={query} />}
    </form>
  );
}

/** Above the results of a search for such words. */
export function SearchNote({ query }: { readonly query: string }) {
  return <CrisisNote place={`search ${query}`} moment="search" text={query} />;
}
