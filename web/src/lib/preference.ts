import type { MatchPreference } from '@unsaid/contract';
import { t } from '@lingui/core/macro';

export function preferenceLabel(preference: MatchPreference | ''): string {
  switch (preference) {
    case 'Similar Emotions':
      return t`Similar Emotions`;
    case 'Different Emotions':
      return t`Different Emotions`;
    case 'Balanced':
      return t`Balanced`;
    case '':
      return t`No preference`;
  }
}
