import { isTeamName } from '@unsaid/contract';
import { Trans } from '@lingui/react/macro';

interface TeamBadgeProps {
  readonly name: string | null;
  readonly className?: string;
}

/** Beside a name of the team. It follows from the name, which nobody else can have. */
export function TeamBadge({ name, className }: TeamBadgeProps) {
  return name !== null && isTeamName(name) ? (
    <strong className={className}>
      <Trans>Unsaid team</Trans>
    </strong>
  ) : null;
}
