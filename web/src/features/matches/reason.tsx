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
      return <Trans>You both asked for someone who feels alike</Trans>;
    case 'both_different':
      return <Trans>You both asked for someone who feels differently</Trans>;
    case 'both_balanced':
      return <Trans>You both asked for a balance</Trans>;
  }
  return <UserText>{text}</UserText>;
}
