import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { success } from './fields.ts';

export const getGrievanceOfficer = endpoint({
  method: 'GET',
  path: '/api/grievance',
  summary: 'Name and contact of the grievance officer, from the settings of this deployment.',
  auth: 'public',
  response: z.object({
    ...success,
    /** Null where the operator has not set one: production does not start like that. */
    officer: z.nullable(
      z.object({
        name: z.string(),
        email: z.string(),
        address: z.nullable(z.string()),
        phone: z.nullable(z.string()),
      }),
    ),
  }),
});
