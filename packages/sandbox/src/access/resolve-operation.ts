import type { RequestHandler, Response } from 'express'
import { findOperation, type Operation } from '../platform/operations.ts'
import { detailRefusal } from '../platform/refusal.ts'

/** Attaches the operation to a request once, for limits, forced failures, chaos and routes: the same path cannot bypass one of them. Answers 404 for any other path. */
export const resolveOperation: RequestHandler = (req, res, next) => {
  const operation = findOperation(req.method, req.path)
  if (operation === undefined) throw detailRefusal(404, 'Not Found')
  res.locals.operation = operation
  next()
}

/** The operation attached by `resolveOperation`. */
export function operationOf(res: Response): Operation {
  // The compiler cannot see that `resolveOperation` runs before every route.
  return res.locals.operation as Operation
}
