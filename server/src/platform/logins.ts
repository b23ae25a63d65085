/** Database connections: a login for each role, or the owner's login with `set role` to the group role. */

import { rolesWithSchemas, type DatabaseRole } from '../db/schemas.ts';

/** The schema of the job queue, and its role. pg-boss owns it. */
export const jobsSchema = 'jobs';

/** The group roles with the rights are `unsaid_identity` and so on. */
export type LoginRole = DatabaseRole | typeof jobsSchema;

/** Every login with the schema that it may reach. */
export const loginsWithSchemas: readonly { readonly role: LoginRole; readonly schema: string }[] = [
  ...rolesWithSchemas,
  { role: jobsSchema, schema: jobsSchema },
];
export const loginRoles = loginsWithSchemas.map(({ role }) => role);

/** The roles whose pools a process opens: the console has its own instead of the usual one of its schema. */
export const rolesOf = ({ services }: Pick<Logins, 'services'>) =>
  rolesWithSchemas.filter(({ role }) => role !== (services.has('mod') ? 'moderation' : 'console'));

export interface Logins {
  readonly services: ReadonlySet<string>;
  readonly databaseUrl: string;
  readonly roleUrls: { readonly [R in LoginRole]?: string };
}

/** `set role` guards only against mistakes: `set role none` undoes it. Production has a login for each role. */
export function connectionOf(
  { databaseUrl, roleUrls }: Pick<Logins, 'databaseUrl' | 'roleUrls'>,
  role: LoginRole,
): { connectionString: string; options: string } {
  const ownUrl = roleUrls[role];
  return ownUrl
    ? { connectionString: ownUrl, options: '' }
    : { connectionString: databaseUrl, options: `-c role=unsaid_${role}` };
}
