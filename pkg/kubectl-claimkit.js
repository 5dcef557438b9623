#!/usr/bin/env node
// `kubectl claimkit`: the same program under the name by which kubectl finds its plugins.
import "./cli.js";
