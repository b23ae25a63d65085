import { getGrievanceOfficer } from '@unsaid/contract';
import { bind } from '../auth/viewer.ts';
import type { Config } from '../config.ts';
import type { Binding } from '../platform/http/bind.ts';

export function grievanceRoutes(officer: Config['grievanceOfficer']): Binding[] {
  return [bind(getGrievanceOfficer, async () => ({ officer }))];
}
