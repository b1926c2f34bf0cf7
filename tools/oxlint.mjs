#!/usr/bin/env node
/** oxlint, which looks for its partner with types in the project's own node_modules alone. */
import { fileURLToPath } from 'node:url'

const placeOf = (/** @type {string} */ path) => new URL(`node_modules/${path}`, import.meta.url)
process.env.OXLINT_TSGOLINT_PATH = fileURLToPath(placeOf('.bin/tsgolint'))
await import(placeOf('oxlint/bin/oxlint').href)
