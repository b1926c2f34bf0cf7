import { z } from 'zod'
import { auditContract } from './audit-contract.ts'
import { patientContract } from './patient-contract.ts'
import { resourceContract } from './resource-contract.ts'
import { type Route, route } from './route.ts'
import { startContract } from './start-contract.ts'
import { statusContract } from './status-contract.ts'
import { upkeepContract } from './upkeep-contract.ts'
import { workContract } from './work-contract.ts'

/** Every JSON route of the admin listener by name. */
export const contract = {
  ...statusContract,
  ...workContract,
  ...resourceContract,
  ...patientContract,
  ...auditContract,
  ...startContract,
  ...upkeepContract,
  openApi: route({
    method: 'get',
    path: '/api/openapi.json',
    needs: 'view',
    summary: 'This document',
    answer: z.looseObject({ openapi: z.string() }),
  }),
} satisfies Record<string, Route>
