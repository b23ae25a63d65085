interface SchemaDeclaration {
  /**
   * Each has a pool and a login of its own, and the rights of the group role `unsaid_<role>`. By default the first may
   * read and write all tables; what others may do is granted in migrations.
   */
  readonly roles: readonly [string, ...string[]];
  /** Rights are granted table by table in migrations, to the first role too. */
  readonly grantsByTable?: true;
  /** Settings of its connections, beside those of all (platform/db.ts). deploy/logins.sql gives them to the logins. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The schemas of the product. Pools, migrations, logins, generated types and tests read this list. */
export const schemas = {
  identity: { roles: ['identity'] },
  // Generic plans: no statement needs another plan for other values.
  content: { roles: ['content'], settings: { plan_cache_mode: 'force_generic_plan' } },
  // Pair keys have no statistics, so a dozen rows are estimated as thousands: starting parallel workers for them takes
  // 12 ms, reading them 0.2 ms.
  matching: { roles: ['matching'], settings: { max_parallel_workers_per_gather: '0' } },
  // The console has a login of its own: no other process may add a moderator, a passkey or a session of one.
  moderation: { roles: ['moderation', 'console'], grantsByTable: true },
} as const satisfies Record<string, SchemaDeclaration>;

export type Schema = keyof typeof schemas;
export const schemaNames = Object.keys(schemas) as Schema[];

/** A role of a schema. */
export type DatabaseRole = (typeof schemas)[Schema]['roles'][number];
export type SchemaOf<R extends DatabaseRole> = {
  [S in Schema]: R extends (typeof schemas)[S]['roles'][number] ? S : never;
}[Schema];

export const rolesWithSchemas = schemaNames.flatMap((schema) =>
  schemas[schema].roles.map((role) => ({ role, schema })),
);

export function declarationOf(schema: Schema): SchemaDeclaration {
  return schemas[schema];
}
