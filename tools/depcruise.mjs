#!/usr/bin/env node
/** dependency-cruiser on the parser swc, which is told of no JSX and has no setting for it. */
import swc from '@swc/core'

const { parseFileSync } = swc
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') })
await import(new URL('node_modules/dependency-cruiser/bin/dependency-cruise.mjs', import.meta.url).href)
