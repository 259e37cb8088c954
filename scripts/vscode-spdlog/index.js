// Writes VS Code's log files, on which its output channels are built, in place of a
// native module that would have to be compiled. Files are not rotated.
'use strict'

const fs = require('node:fs')
const path = require('node:path')

const names = ['trace', 'debug', 'info', 'warning', 'error', 'critical']

class Logger {
  constructor(file) {
    this.file = file
    this.level = 2
    this.plain = false
  }

  write(level, message) {
    if (level < this.level) {
      return
    }
    const at = new Date().toISOString().replace('T', ' ').slice(0, -1)
    const text = this.plain ? message : `${at} [${names[level]}] ${message}\n`
    try {
      fs.appendFileSync(this.file, text)
    } catch {
      // The folder went away with the tests.
    }
  }

  trace(message) {
    this.write(0, message)
  }
  debug(message) {
    this.write(1, message)
  }
  info(message) {
    this.write(2, message)
  }
  warn(message) {
    this.write(3, message)
  }
  error(message) {
    this.write(4, message)
  }
  critical(message) {
    this.write(5, message)
  }

  getLevel() {
    return this.level
  }
  setLevel(level) {
    this.level = level
  }
  clearFormatters() {
    this.plain = true
  }
  setPattern() {}
  flush() {}
  drop() {}
}

async function open(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.closeSync(fs.openSync(file, 'a'))
  return new Logger(file)
}

exports.setFlushOn = () => {}
exports.createRotatingLogger = (_, file) => open(file)
exports.createAsyncRotatingLogger = (_, file) => open(file)
