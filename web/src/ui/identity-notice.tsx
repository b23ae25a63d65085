import type { IdentityCardProps } from './identity-card.tsx';
import { identityGuard } from './use-identity-guard.ts';

/** Under the field in which something identifying was found. Stands directly after it, to find its input. */
export function IdentityNotice(props: IdentityCardProps) {
  const card = identityGuard.use();
  return card && props.guard.problem?.field === props.field && <card.IdentityCard {...props} />;
}
