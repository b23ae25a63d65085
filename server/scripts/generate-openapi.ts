/** Writes docs/openapi.json from the contract. `--check` fails when the committed file differs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { endpoints, errorBody, errorKinds, type Endpoint, type ErrorCode } from '@unsaid/contract';
import * as z from 'zod/mini';

const target = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));

/** What any call can answer, beyond its own errors. */
const commonErrors: ErrorCode[] = [
  'VALIDATION_FAILED',
  'RATE_LIMITED',
  'INTERNAL',
  'TEMPORARILY_UNAVAILABLE',
  'PAUSED',
];
const signedInErrors: ErrorCode[] = ['UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'];

const jsonSchema = (schema: z.ZodMiniType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

function parameters(endpoint: Endpoint): object[] {
  return (['params', 'query'] as const).flatMap((part) => {
    const schema = endpoint[part];
    if (!schema) return [];
    const { properties = {}, required = [] } = jsonSchema(schema, 'input');
    return Object.entries(properties).map(([name, property]) => ({
      name,
      in: part === 'params' ? 'path' : 'query',
      required: part === 'params' || required.includes(name),
      schema: property,
    }));
  });
}

function operation(endpoint: Endpoint): object {
  const codes = [
    ...(endpoint.errors ?? []),
    ...(endpoint.auth === 'public' ? [] : signedInErrors),
    ...commonErrors,
  ];
  const byStatus = Map.groupBy(codes, (code) => errorKinds[code].status);
  return {
    summary: endpoint.summary,
    security: endpoint.auth === 'public' ? [] : [{ bearer: [] }],
    parameters: parameters(endpoint),
    ...(endpoint.body
      ? { requestBody: { content: { 'application/json': { schema: jsonSchema(endpoint.body, 'input') } } } }
      : {}),
    responses: {
      [endpoint.status ?? 200]: {
        description: 'Done',
        content: { 'application/json': { schema: jsonSchema(endpoint.response, 'output') } },
      },
      ...Object.fromEntries(
        [...byStatus].map(([status, group]) => [
          status,
          {
            description: group.join(', '),
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        ]),
      ),
    },
  };
}

const paths: Record<string, Record<string, object>> = {};
for (const endpoint of endpoints) {
  const path = endpoint.path.replace(/:([a-z]+)/giu, '{$1}');
  paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
}

const text = `${JSON.stringify(
  {
    openapi: '3.1.0',
    info: { title: 'Unsaid', version: '0.1.0', license: { name: 'Apache-2.0' } },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: jsonSchema(errorBody, 'output') },
    },
    paths,
  },
  null,
  2,
)}\n`;

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('docs/openapi.json is not what the contract gives: run npm run openapi');
    process.exit(1);
  }
} else writeFileSync(target, text);
