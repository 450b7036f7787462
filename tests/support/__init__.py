"""What tests share: fakes, builders, playbooks; no mocks."""
