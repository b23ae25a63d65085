import { limits, type AccountEvent, type InboxLine } from '@unsaid/contract';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState, type ReactNode } from 'react';
import { Link, useLocation, type To } from 'react-router';
import { dayInIndia, formatCount, formatDayInIndia, formatList } from '../../lib/format.ts';
import { toHistoryState, type HistoryState } from '../../lib/history-state.ts';
import { paths, recoveryHash, ventPath } from '../../lib/paths.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { UserText } from '../../ui/user-text.tsx';
import comment from '@material-symbols/svg-400/rounded/sms.svg?path';
import heart from '@material-symbols/svg-400/rounded/heart_smile.svg?path';
import key from '@material-symbols/svg-400/rounded/key.svg?path';
import info from '@material-symbols/svg-400/rounded/info.svg?path';
import styles from './inbox.module.css';

const icons = {
  comments: comment,
  replies: comment,
  reactions: heart,
  thanks: heart,
  notice: info,
  account: key,
};

type MatchLine = Extract<InboxLine, { matchId: unknown }>;

const isMatch = (line: InboxLine): line is MatchLine =>
  line.kind === 'said_yes' || line.kind === 'both_said_yes';

/** Where a line leads. */
function linkOf(line: InboxLine, isFromInbox: boolean): { readonly to: To; readonly state: HistoryState } {
  if (isMatch(line)) {
    const tab = line.kind === 'said_yes' ? 'pending' : 'history';
    return { to: `${paths.matches}?tab=${tab}`, state: {} };
  }
  if (line.kind === 'notice') return { to: paths.notices, state: {} };
  if (line.kind === 'account') return { to: paths.settings + recoveryHash, state: {} };
  const commentId = line.kind === 'reactions' ? {} : { commentId: line.commentId };
  return { to: ventPath(line.vent._id), state: toHistoryState({ isFromInbox, ...commentId }) };
}

/** What happened, in one sentence. */
export function Sentence({ line, isNew }: { readonly line: InboxLine; readonly isNew: boolean }): ReactNode {
  if (isMatch(line)) return <MatchSentence line={line} />;
  if (line.kind === 'notice') return <Trans>There's a note from us about something you wrote.</Trans>;
  if (line.kind === 'account') return <AccountSentence event={line.event} />;
  const title = line.vent.title === '' ? <Trans>a hidden vent</Trans> : <Title>{line.vent.title}</Title>;
  if (line.kind === 'thanks') return <Trans>Your words helped on {title}</Trans>;
  if (line.kind === 'reactions') {
    const given = describeReactions(line.reactions);
    // One of each may be of one person or of three.
    const begun = given.charAt(0).toUpperCase() + given.slice(1);
    return Math.max(...Object.values(line.reactions)) > 1 ? (
      <Trans>
        {begun} on {title}
      </Trans>
    ) : (
      <Trans>
        Someone sent {given} on {title}
      </Trans>
    );
  }
  const count = isNew ? line.count : 0;
  const comments = describeComments(count);
  if (line.kind === 'comments')
    return count === 0 ? (
      <Trans>Comments on {title}</Trans>
    ) : (
      <Trans>
        {comments} on {title}
      </Trans>
    );
  if (count === 0) return <Trans>Comments after yours on {title}</Trans>;
  if (line.isByAuthor) return <Trans>The person you wrote to answered on {title}</Trans>;
  if (count === 1) return <Trans>Someone commented after you on {title}</Trans>;
  return (
    <Trans>
      {comments} after yours on {title}
    </Trans>
  );
}

/** Counts are worded without `plural`: it makes formatters, which the home page does not need otherwise (formatCount). */
function describeComments(count: number): string {
  const most = limits.inboxCount;
  if (count >= most) return t`${most}+ new comments`;
  return count === 1 ? t`1 new comment` : t`${count} new comments`;
}

function AccountSentence({ event }: { readonly event: AccountEvent }) {
  switch (event) {
    case 'code_made':
      return <Trans>A recovery code was made for your account.</Trans>;
    case 'code_replaced':
      return <Trans>Your recovery code was replaced. The old one doesn't work any more.</Trans>;
    case 'code_cancelled':
      return <Trans>Your recovery code was cancelled. It doesn't work any more.</Trans>;
    case 'recovery_asked':
      return <Trans>Someone is getting this account back with a recovery code.</Trans>;
    case 'recovered':
      return <Trans>This account was opened with a recovery code.</Trans>;
    case 'number_changed':
      return <Trans>Your number was changed.</Trans>;
  }
}

function MatchSentence({ line }: { readonly line: MatchLine }) {
  const { username } = line.with;
  if (line.kind === 'said_yes')
    return username === null ? (
      <Trans>Someone said yes to you. Your turn now.</Trans>
    ) : (
      <Trans>
        <UserText>{username}</UserText> said yes to you. Your turn now.
      </Trans>
    );
  return username === null ? (
    <Trans>You both said yes to each other.</Trans>
  ) : (
    <Trans>
      You and <UserText>{username}</UserText> both said yes.
    </Trans>
  );
}

function Title({ children }: { readonly children: string }) {
  return (
    <span className={styles.title}>
      “<UserText>{children}</UserText>”
    </span>
  );
}

function describeReactions({
  heart,
  hug,
  listen,
}: Extract<InboxLine, { kind: 'reactions' }>['reactions']): string {
  const parts = [
    heart > 0 && (heart === 1 ? t`love` : t`love from ${formatCount(heart)} people`),
    hug > 0 && (hug === 1 ? t`a hug` : t`hugs from ${formatCount(hug)} people`),
    listen > 0 && (listen === 1 ? t`“I hear you”` : t`“I hear you” from ${formatCount(listen)} people`),
  ].filter((part) => part !== false);
  return formatList(parts);
}

interface LineLinkProps {
  readonly line: InboxLine;
  readonly isNew: boolean;
  readonly onFollow: () => void;
}

/** A line of the inbox, as a link to what it is about. */
export function LineLink({ line, isNew, onFollow }: LineLinkProps) {
  const [today] = useState(() => dayInIndia(Date.now()));
  const isFromInbox = useLocation().pathname === paths.inbox;
  return (
    <Link
      {...linkOf(line, isFromInbox)}
      className={styles.line}
      data-new={isNew ? '' : undefined}
      onClick={onFollow}
    >
      <span className={styles.picture}>
        {isMatch(line) ? (
          <Avatar src={line.with.profilePic} size={40} />
        ) : (
          <Icon path={icons[line.kind]} size={22} />
        )}
      </span>
      <span className={styles.words}>
        <span className={styles.sentence}>
          <Sentence line={line} isNew={isNew} />
        </span>
        {line.day !== null && (
          <time dateTime={line.day} className={styles.day}>
            {formatDayInIndia(line.day, today)}
          </time>
        )}
      </span>
    </Link>
  );
}
