import { expect, it } from 'vitest'
import { ownPackage } from '../../packages/base/src/own-package.ts'
import { readPage } from './readme-examples.ts'

it('the changelog begins with unreleased changes, then names the version of package.json', async () => {
  const headings = [...(await readPage('CHANGELOG.md')).matchAll(/^## (\S+)/gm)].map(([, name]) => name)
  expect(headings.slice(0, 2)).toEqual(['Unreleased', ownPackage().version])
})
