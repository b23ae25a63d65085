import { getGrievanceOfficer, type ResponseOf } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';

/** As in the configuration. */
export type Imprint = Pick<ResponseOf<typeof getGrievanceOfficer>, 'officer' | 'operator'>;

export function grievanceRoutes({ officer, operator }: Imprint): Binding[] {
  return [bind(getGrievanceOfficer, async () => ({ officer, operator }))];
}
