import type { Socket } from 'node:net';
import { errorKinds, type ErrorBody, type ErrorCode } from '@unsaid/contract';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable, isSchemaLost } from '../db-errors.ts';
import { AppError } from '../errors.ts';
import { describeFault, type Logger } from '../logger.ts';
import { RedisUnavailable } from '../redis.ts';
import { securityHeaders, type PageRules } from './headers.ts';
import { sendPadded } from './padded-response.ts';

/** The one mapper from errors to responses. A response contains nothing of the request. */

const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BAD_REQUEST',
  FST_ERR_BAD_URL: 'BAD_REQUEST',
  FST_ERR_ASYNC_CONSTRAINT: 'BAD_REQUEST',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
  FST_ERR_HANDLER_TIMEOUT: 'TEMPORARILY_UNAVAILABLE',
  FST_ERR_NOT_FOUND: 'NOT_FOUND',
};

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof RedisUnavailable)
    return new AppError('TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 30 });
  if (isDatabaseUnavailable(error) || isSchemaLost(error))
    return new AppError('TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 5 });
  const known = frameworkCodes[(error as Partial<FastifyError>).code ?? ''];
  if (known) return new AppError(known, known === 'TEMPORARILY_UNAVAILABLE' ? { retryAfterSeconds: 5 } : {});
  const status = (error as Partial<FastifyError>).statusCode;
  return new AppError(status !== undefined && status >= 400 && status < 500 ? 'BAD_REQUEST' : 'INTERNAL');
}

function bodyOf(error: AppError, requestId: string): ErrorBody {
  return {
    success: false,
    message: error.details.message ?? errorKinds[error.code].message,
    code: error.code,
    requestId,
    ...(error.details.fields ? { fields: [...error.details.fields] } : {}),
    ...(error.details.challenge ? { challenge: error.details.challenge } : {}),
    ...(error.details.proof ? { proof: error.details.proof } : {}),
    ...(error.details.opensAt ? { opensAt: error.details.opensAt } : {}),
  };
}

function send(reply: FastifyReply, error: AppError, requestId: string): FastifyReply {
  const { status } = errorKinds[error.code];
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (error.details.retryAfterSeconds) reply.header('retry-after', error.details.retryAfterSeconds);
  return sendPadded(reply.code(status), JSON.stringify(bodyOf(error, requestId)));
}

export function registerErrors(app: FastifyInstance, logger: Logger): void {
  app.setErrorHandler((error, request, reply) => {
    const answer = toAppError(error);
    const status = errorKinds[answer.code].status;
    if (status >= 500) {
      const fields = {
        requestId: request.id,
        route: request.routeOptions.url ?? '',
        ...describeFault(error),
      };
      if (answer.code === 'INTERNAL') logger.error({ event: 'internal_error', ...fields });
      else logger.warn({ event: 'dependency_unavailable', ...fields, stack: undefined });
    }
    return send(reply, answer, request.id);
  });
}

export function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return send(reply, new AppError('NOT_FOUND'), request.id);
}

/** For URLs that cannot be routed. Hooks have not run, so the headers are set here. */
export function createFrameworkErrorHandler(pages: PageRules) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    void send(reply.headers(securityHeaders(pages)), toAppError(error), request.id);
  };
}

const parserCodes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** For input that is not HTTP: there is no request, only a socket to write to. */
export function createClientErrorHandler(pages: PageRules, newRequestId: () => string) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const appError = new AppError(parserCodes[error.code ?? ''] ?? 'BAD_REQUEST');
    const { status } = errorKinds[appError.code];
    const body = JSON.stringify(bodyOf(appError, newRequestId()));
    const headers = Object.entries({
      ...securityHeaders(pages),
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    });
    const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(`HTTP/1.1 ${status} Refused\r\n${head}\r\n${body}`);
  };
}
