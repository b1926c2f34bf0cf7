import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineHandler } from '../../../../../../src/index.ts'
import type { System } from '../../../../../../src/connector.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { integrationOf } from '../integration-of.ts'
import { folder } from '../right/05-folder.ts'

interface Form {
  reference?: string
  status?: string
  valid_until?: string
}

interface Forms {
  putForm(id: string, form: Form): Promise<void>
}

const formsAt = (path: string): System<Forms> => ({
  open: (run) => ({
    async putForm(id, form) {
      const { answered } = run.beginRequest('write form')
      await writeFile(join(path, `${id}.json`), JSON.stringify(form))
      answered()
      run.wrote({ type: 'Form', id })
    },
  }),
})

const form: Form = {}

/** Wrong: fills in one form for all, which keeps the last day of the approval before. */
export const integration = integrationOf({
  ...folder,
  systemAt: formsAt,
  handlers: [
    defineHandler({
      name: 'form-to-folder',
      on: ['prior_authorization.status_change'],
      async handle(context) {
        const { id, status, outcome } = context.resource
        const until = outcome?.authorization_expiration
        Object.assign(form, { reference: id, status }, until === undefined ? {} : { valid_until: until })
        // The compiler cannot see which systems the integration lists.
        await (listedSystem(context, 'folder') as Forms).putForm(id, form)
      },
    }),
  ],
})
