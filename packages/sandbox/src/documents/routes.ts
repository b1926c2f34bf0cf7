import { Router } from 'express'
import type { Control } from '../platform/control.ts'
import { createAsyncApi } from './asyncapi.ts'
import { createControlOpenApi } from './control-openapi.ts'
import { createOpenApi } from './sandbox-openapi.ts'
import { findRenderer, referenceRoutes } from './reference.tsx'

/** The reference documents, without a token. Each is generated on its first request. */
export function documentRoutes(controls: readonly Control[]) {
  const router = Router()
  const openApi = once(createOpenApi)
  const controlOpenApi = once(() => createControlOpenApi(controls))
  const asyncApi = once(createAsyncApi)

  router.get('/openapi.json', (_req, res) => {
    res.json(openApi())
  })

  router.get('/_sandbox/openapi.json', (_req, res) => {
    res.json(controlOpenApi())
  })

  router.get('/asyncapi.json', (_req, res) => {
    res.json(asyncApi())
  })

  router.use(referenceRoutes({ renderer: findRenderer(), openApi }))

  router.get('/', (_req, res) => {
    res.redirect('/docs')
  })

  return router
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
