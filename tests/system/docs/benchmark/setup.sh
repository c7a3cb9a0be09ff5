mkdir tasks
cp -r "$(ls -d examples/benchmark/tasks/* | head -1)" tasks/
