import { Router } from 'express'

/** GET /status (specification, Endpoints). */
export function statusRoutes() {
  const router = Router()
  router.get('/status', (_req, res) => {
    res.json({ status: 'success', error: null, data: { message: 'The API is operational.' } })
  })
  return router
}
