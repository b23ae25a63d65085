import type { MatchReason } from '@unsaid/contract';
import { Trans } from '@lingui/react/macro';
import { UserText } from '../../ui/user-text.tsx';

/** A reason for the match, translated. A kind newer than this page is shown in the server's English. */
export function Reason({ reason: { kind, about, text } }: { readonly reason: MatchReason }) {
  switch (kind) {
    case 'shared_interest':
      if (about === null) break;
      return (
        <Trans>
          You both like <UserText>{about}</UserText>
        </Trans>
      );
    case 'both_similar':
      return <Trans>You both want someone who feels the same</Trans>;
    case 'both_different':
      return <Trans>You both want someone who feels different</Trans>;
    case 'both_balanced':
      return <Trans>You both want a mix of the two</Trans>;
  }
  return <UserText>{text}</UserText>;
}
