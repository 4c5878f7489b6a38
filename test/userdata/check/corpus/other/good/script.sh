#!/bin/bash
echo a
